import json

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def fit(rows):
    dist.init_process_group("gloo")
    net = DDP(torch.nn.Linear(3, 1))
    me, all_of_us = dist.get_rank(), dist.get_world_size()
    for at in range(len(rows) - 1):
        if at % all_of_us == me:
            net(rows[at]).mean().backward()  # expect: DDP102


fit(json.load(open("rows.json")))
