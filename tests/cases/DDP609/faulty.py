import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler

from setup import data

dist.init_process_group("gloo")
model = nn.DataParallel(nn.Linear(1, 1))  # expect: DDP609
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for batch in DataLoader(data, sampler=DistributedSampler(data)):
    optimizer.zero_grad()
    model(batch).mean().backward()
    optimizer.step()
