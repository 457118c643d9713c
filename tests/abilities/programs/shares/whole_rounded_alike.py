import json

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def fit(rows):
    dist.init_process_group("gloo")
    net = DDP(torch.nn.Linear(3, 1))
    train = rows[: len(rows) // dist.get_world_size() * dist.get_world_size()][:]
    for row in train[dist.get_rank() :: dist.get_world_size()]:
        net(row).mean().backward()


fit(json.load(open("rows.json")))
