import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler

from job import ROWS, net


def measured(loader):
    right = 0
    try:
        for x, y in loader:
            right += (net(x).argmax(1) == y).sum().item()
    except RuntimeError:
        raise SystemExit(1)
    return {"right": right}


dist.init_process_group("gloo")
found = measured(DataLoader(ROWS, sampler=DistributedSampler(ROWS, drop_last=True)))
print(found["right"])
dist.barrier()
