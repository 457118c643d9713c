"""The first ranks take one more each: whether they do is a number."""

import json

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
net = DistributedDataParallel(torch.nn.Linear(4, 4))
data = json.load(open("rows.json"))
each, rest = divmod(len(data), world)
start = rank * each + min(rank, rest)
stop = start + each + (rank < rest)
for row in data[start:stop]:
    net(torch.tensor(row)).sum().backward()  # expect: DDP106
dist.destroy_process_group()
