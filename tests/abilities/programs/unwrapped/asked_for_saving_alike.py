import torch
from accelerate import Accelerator
from torch.nn.parallel import DistributedDataParallel

from job import rows

accelerator = Accelerator()
net = torch.nn.Linear(3, 1)
net, steps = accelerator.prepare(net, torch.optim.SGD(net.parameters()))
for row in rows:
    accelerator.backward(net(row).sum())
    steps.step()
bare = net.module if isinstance(net, DistributedDataParallel) else net
if accelerator.is_main_process:
    torch.save(bare.state_dict(), "net.pt")
