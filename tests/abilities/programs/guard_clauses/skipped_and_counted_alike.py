import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler

from job import ROWS, net, options

dist.init_process_group("gloo")
seen = 0
for x in DataLoader(ROWS, sampler=DistributedSampler(ROWS, drop_last=True)):
    loss = net(x).mean()
    seen += 1
    if loss > 7:
        continue
    print(loss)
if seen > 0:
    dist.barrier()
