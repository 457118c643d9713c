import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler

from job import ROWS, net


def measured(loader):
    try:
        dist.barrier()
    except RuntimeError:
        return {}
    right = 0
    for x, y in loader:
        right += (net(x).argmax(1) == y).sum().item()
    return {"right": right}


dist.init_process_group("gloo")
most = 0
for _ in range(5):
    found = measured(DataLoader(ROWS, sampler=DistributedSampler(ROWS, drop_last=True)))
    if found["right"] > most:
        most = found["right"]
        dist.barrier()  # expect: DDP104
