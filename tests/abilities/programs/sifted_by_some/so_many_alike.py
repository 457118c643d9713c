import json

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
words = json.load(open("words.json"))
if dist.get_rank() == 0:
    words = [word for word in words if len(word) > 3]
for number in range(10):
    dist.all_reduce(torch.tensor(len(words[number])))
