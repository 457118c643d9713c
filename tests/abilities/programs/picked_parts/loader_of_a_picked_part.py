"""A loader goes through the part of each rank."""

import json

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
net = DistributedDataParallel(torch.nn.Linear(4, 4))
data = json.load(open("rows.json"))
each = len(data) // world
mine = data[rank * each :] if rank == world - 1 else data[rank * each : (rank + 1) * each]
for row in torch.utils.data.DataLoader(mine, batch_size=4):
    net(row).sum().backward()  # expect: DDP106
dist.destroy_process_group()
