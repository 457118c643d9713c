import json

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
words = json.load(open("words.json"))
if dist.get_rank() == 0:
    words = [word for word in words if len(word) > 3]
box = [words]
dist.broadcast_object_list(box, src=0)
for word in box[0]:
    dist.all_reduce(torch.tensor(len(word)))
