import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from job import options

net = torch.nn.Linear(3, 1)
if options.distributed:
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    net = DistributedDataParallel(net.cuda())
else:
    torch.cuda.set_device(0)
    net = net.cuda()
net(torch.randn(3).cuda()).mean().backward()
if options.distributed:
    dist.destroy_process_group()
