import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler

from job import ROWS, net, options


class Best:
    def __init__(self):
        self.improved = False

    def look(self, loss):
        if loss > 7:
            return
        self.improved = True


dist.init_process_group("gloo")
best = Best()
for x in DataLoader(ROWS, sampler=DistributedSampler(ROWS, drop_last=True)):
    best.look(net(x).mean())
if best.improved:
    dist.barrier()  # expect: DDP104
