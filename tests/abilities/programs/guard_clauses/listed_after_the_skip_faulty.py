import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler

from job import ROWS, net, options

dist.init_process_group("gloo")
kept = []
for x in DataLoader(ROWS, sampler=DistributedSampler(ROWS, drop_last=True)):
    y = net(x)
    if y.max() < 0.5:
        continue
    kept.append(y)
for y in kept:
    dist.all_reduce(y)  # expect: DDP106
