import json

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def helpers():
    if dist.get_backend() == "nccl":
        return dist.new_group(backend="gloo")
    return dist.group.WORLD


def collect(value, group):
    if dist.get_world_size(group) == 1:
        return [value]
    every = [None] * dist.get_world_size(group)
    dist.all_gather_object(every, value, group=group)
    return every


def fit(net, loader):
    dist.init_process_group("gloo")
    group = helpers()
    for batch in loader:
        loss = net(batch).sum()
        if max(collect(loss.item(), group)) > 9:
            break
        dist.barrier()


from torch.utils.data import DataLoader, DistributedSampler

rows = json.load(open("rows.json"))
fit(torch.nn.Linear(3, 1), DataLoader(rows, sampler=DistributedSampler(rows, drop_last=True)))
