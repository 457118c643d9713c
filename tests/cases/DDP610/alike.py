import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

from setup import data

dist.init_process_group("gloo")
model = DDP(nn.Linear(1, 1))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for batch in DataLoader(data, sampler=DistributedSampler(data)):
    optimizer.zero_grad()
    loss = model(batch).mean()
    loss.backward()
    optimizer.step()
    print(loss.item() / dist.get_world_size())
