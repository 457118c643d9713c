import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from job import Trunk, batches

dist.init_process_group("gloo")
trunk = Trunk()
adapters = DistributedDataParallel(nn.ModuleList(trunk.adapters()))
model = DistributedDataParallel(trunk)
optimizer = torch.optim.SGD(adapters.parameters(), 0.1)
for batch in batches():
    model(batch).mean().backward()
    optimizer.step()
    optimizer.zero_grad()
