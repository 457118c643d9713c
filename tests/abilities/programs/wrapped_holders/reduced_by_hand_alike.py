import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from job import batches

dist.init_process_group("gloo")
first, second = nn.Linear(4, 4), nn.Linear(4, 1)
both = DistributedDataParallel(nn.ModuleList([first, second]))
optimizer = torch.optim.SGD(both.parameters(), 0.1)
for batch in batches():
    second(first(batch)).mean().backward()
    for parameter in both.parameters():
        dist.all_reduce(parameter.grad)
    optimizer.step()
    optimizer.zero_grad()
