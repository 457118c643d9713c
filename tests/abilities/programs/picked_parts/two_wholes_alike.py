"""Rank 0 takes another whole: nothing is known of how many rows either has."""

import json

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
net = DistributedDataParallel(torch.nn.Linear(4, 4))
data = json.load(open("rows.json"))
others = json.load(open("others.json"))
mine = others[:64] if rank == 0 else data[:64]
for row in mine:
    net(torch.tensor(row)).sum().backward()
dist.destroy_process_group()
