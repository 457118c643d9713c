import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from job import batches

dist.init_process_group("gloo")
first, second = nn.Linear(4, 4), nn.Linear(4, 1)
both = DistributedDataParallel(nn.ModuleList([first, second]))  # expect: DDP601
optimizer = torch.optim.SGD(both.parameters(), 0.1)
for batch in batches():
    loss = second(first(batch)).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
