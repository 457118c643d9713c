import torch
import torch.distributed as dist
from addict import Dict
from easydict import EasyDict
from torch import nn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
made = EasyDict(net=DistributedDataParallel(nn.Linear(3, 3)), verbose=False)
made.net(torch.randn(4, 3)).sum().backward()
if made.verbose:
    dist.barrier()
plan = Dict(rounds=3)
for _ in range(plan.rounds):
    dist.barrier()
