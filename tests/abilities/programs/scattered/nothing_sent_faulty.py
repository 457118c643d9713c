import json

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

from torch.utils.data import DataLoader, DistributedSampler


def fit(rows, net):
    dist.init_process_group("gloo")
    for x in DataLoader(rows, sampler=DistributedSampler(rows, drop_last=True)):
        done = (net(x).sum() > 3).float()
        if done.item():  # expect: DDP104
            return
        dist.barrier()


fit(json.load(open("rows.json")), torch.nn.Linear(3, 1))
