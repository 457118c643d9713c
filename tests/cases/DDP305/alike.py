import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

from setup import data

dist.init_process_group("gloo")
model = DDP(torch.nn.Linear(1, 1))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
own = torch.utils.data.Subset(data, range(dist.get_rank(), len(data), dist.get_world_size()))
hits = torch.zeros(1)
with torch.no_grad():
    for batch in DataLoader(own):
        hits += (model.module(batch) > 0).sum()
dist.all_reduce(hits)
print(hits / len(data))
