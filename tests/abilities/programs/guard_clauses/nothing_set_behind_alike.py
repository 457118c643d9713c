import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler

from job import ROWS, net, options


def show(loss):
    if loss > 7:
        return
    text = f"fine: {loss}"
    print(text)


dist.init_process_group("gloo")
steps = 0
for x in DataLoader(ROWS, sampler=DistributedSampler(ROWS, drop_last=True)):
    show(net(x).mean())
    steps += 1
    if steps % options.every == 0:
        dist.barrier()
