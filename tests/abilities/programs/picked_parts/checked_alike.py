"""The program has checked that it divides."""

import json

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
net = DistributedDataParallel(torch.nn.Linear(4, 4))
data = json.load(open("rows.json"))
if len(data) % world:
    raise ValueError("as many rows as divide by the ranks")
parts = [data[first::world] for first in range(world)]
for row in parts[rank]:
    net(torch.tensor(row)).sum().backward()
dist.destroy_process_group()
