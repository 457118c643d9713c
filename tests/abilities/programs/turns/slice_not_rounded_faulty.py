import json

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def fit(rows):
    dist.init_process_group("gloo")
    net = DDP(torch.nn.Linear(3, 1))
    me, all_of_us = dist.get_rank(), dist.get_world_size()
    half = len(rows) // 2
    for row in [row for at, row in enumerate(rows[:half]) if at % all_of_us == me]:
        net(row).mean().backward()  # expect: DDP106


fit(json.load(open("rows.json")))
