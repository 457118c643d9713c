import torch
import torch.distributed as dist
from easydict import EasyDict
from torch import nn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
made = EasyDict(net=DistributedDataParallel(nn.Linear(3, 3)), leads=dist.get_rank() == 0)
if made.leads:
    made.net(torch.randn(4, 3)).sum().backward()  # expect: DDP102
dist.barrier()
