import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler

from job import ROWS, net, options

dist.init_process_group("gloo")
steps = 0
for x in DataLoader(ROWS, sampler=DistributedSampler(ROWS, drop_last=True)):
    loss = net(x).mean()
    if torch.isnan(loss):
        continue
    steps += 1
    if steps >= options.steps:
        break
dist.barrier()
if steps % 2:
    dist.all_reduce(loss)  # expect: DDP104
