import json

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
words = json.load(open("words.json"))
kept = words
if dist.get_rank() == 0:
    kept = [word for word in words if len(word) > 3]
    kept += ["-"] * (len(words) - len(kept))
for word in kept:
    dist.all_reduce(torch.tensor(len(word)))
