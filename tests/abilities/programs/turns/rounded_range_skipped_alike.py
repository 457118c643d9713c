import json

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def fit(rows):
    dist.init_process_group("gloo")
    net = DDP(torch.nn.Linear(3, 1))
    me, all_of_us = dist.get_rank(), dist.get_world_size()
    for at in range(len(rows) // all_of_us * all_of_us):
        if me != at % all_of_us:
            continue
        net(rows[at]).mean().backward()


fit(json.load(open("rows.json")))
