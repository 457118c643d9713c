import torch
from accelerate import Accelerator
from torch.nn.parallel import DistributedDataParallel

from job import rows

accelerator = Accelerator()
net = torch.nn.Linear(3, 1)
net, steps = accelerator.prepare(net, torch.optim.SGD(net.parameters()))
if isinstance(net, DistributedDataParallel):
    net = net.module  # expect: DDP603
for row in rows:
    accelerator.backward(net(row).sum())
    steps.step()
