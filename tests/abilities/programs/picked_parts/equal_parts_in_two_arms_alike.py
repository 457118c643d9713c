"""Two ways to write the same number of rows."""

import json

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
net = DistributedDataParallel(torch.nn.Linear(4, 4))
data = json.load(open("rows.json"))
each = len(data) // world
mine = data[:each] if rank == 0 else data[rank * each : (rank + 1) * each]
for row in mine:
    net(torch.tensor(row)).sum().backward()
dist.destroy_process_group()
