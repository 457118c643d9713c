import torch
import torch.distributed as dist
from box import Box
from torch import nn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
made = Box(net=DistributedDataParallel(nn.Linear(3, 3)))
made.net = made.net.module
if dist.get_rank() == 0:
    print(made.net(torch.randn(4, 3)))
dist.barrier()
