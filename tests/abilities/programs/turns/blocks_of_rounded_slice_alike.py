import json

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def fit(rows):
    dist.init_process_group("gloo")
    net = DDP(torch.nn.Linear(3, 1))
    me, all_of_us = dist.get_rank(), dist.get_world_size()
    rows = rows[: len(rows) // (2 * all_of_us) * (2 * all_of_us)]
    for at, row in enumerate(rows):
        if at // 2 % all_of_us == me:
            net(row).mean().backward()


fit(json.load(open("rows.json")))
