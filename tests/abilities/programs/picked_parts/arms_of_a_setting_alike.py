"""A setting decides between two slices, for all ranks alike."""

import json

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
net = DistributedDataParallel(torch.nn.Linear(4, 4))
data = json.load(open("rows.json"))
mine = data[:100] if data[0] else data[100:]
for row in mine:
    net(torch.tensor(row)).sum().backward()
dist.destroy_process_group()
