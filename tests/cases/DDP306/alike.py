import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

from setup import data

dist.init_process_group("gloo")
model = DDP(torch.nn.Linear(1, 1))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
loader = DataLoader(data)
if dist.get_rank() == 0:
    with torch.no_grad():
        hits = sum((model.module(batch) > 0).sum() for batch in loader)
    print(hits / len(data))
