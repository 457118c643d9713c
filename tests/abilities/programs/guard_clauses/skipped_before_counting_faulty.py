import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler

from job import ROWS, net, options

dist.init_process_group("gloo")
good = 0
for x in DataLoader(ROWS, sampler=DistributedSampler(ROWS, drop_last=True)):
    loss = net(x).mean()
    if loss > 7:
        continue
    good += 1
if good > 0:
    dist.barrier()  # expect: DDP104
