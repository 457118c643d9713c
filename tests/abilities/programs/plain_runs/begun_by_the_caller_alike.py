import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def begin(rank=None, count=None):
    if dist.is_available() and dist.is_initialized():
        return dist.get_rank(), dist.get_world_size()
    if rank is None or count is None:
        try:
            rank, count = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
        except KeyError:
            return 0, 1
    dist.init_process_group("gloo", world_size=count, rank=rank)
    return rank, count


def mean_of(value):
    if dist.is_initialized() and dist.get_world_size() > 1:
        dist.all_reduce(value)
    return value


def main(settings):
    """What a program of many experiments calls, which has begun the run itself."""
    rank, count = begin()
    model = DistributedDataParallel(torch.nn.Linear(2, 2))
    for _ in range(settings["rounds"]):
        loss = model(torch.ones(2, 2)).mean()
        loss.backward()
        print(rank, count, mean_of(loss.detach()))
