import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

from setup import data, options

model, sampler = nn.Linear(1, 1), None
if options.distributed:
    dist.init_process_group("gloo")
    model, sampler = DDP(model), DistributedSampler(data)
else:
    model = nn.DataParallel(model)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for batch in DataLoader(data, sampler=sampler):
    optimizer.zero_grad()
    model(batch).mean().backward()
    optimizer.step()
