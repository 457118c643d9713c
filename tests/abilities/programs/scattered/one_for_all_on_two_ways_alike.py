import json

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

from torch.utils.data import DataLoader, DistributedSampler


def fit(rows, net):
    dist.init_process_group("gloo")
    n = dist.get_world_size()
    for x in DataLoader(rows, sampler=DistributedSampler(rows, drop_last=True)):
        done = (net(x).sum() > 3).float()
        if dist.get_rank() == 0:
            dist.scatter(done, scatter_list=[done for _ in range(n)], src=0)
        else:
            dist.scatter(done, src=0)
        if done.item():
            return
        dist.barrier()


fit(json.load(open("rows.json")), torch.nn.Linear(3, 1))
