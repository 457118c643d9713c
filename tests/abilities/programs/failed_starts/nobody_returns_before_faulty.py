import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def begin(rank=None, count=None):
    if dist.is_available() and dist.is_initialized():
        return dist.get_world_size(), dist.get_rank()
    if rank is None or count is None:
        try:
            count = int(os.environ["SLURM_NTASKS"])
            rank = int(os.environ["SLURM_PROCID"])
        except KeyError:
            return 1, 0
    try:
        dist.init_process_group("gloo", world_size=count, rank=rank)
    except Exception as error:
        print(f"one process only: {error}")
        count, rank = 1, 0
    return count, rank


def main(options):
    _, rank = begin()
    model = DistributedDataParallel(torch.nn.Linear(4, 4))

    def save(path):
        if rank < 0:
            return
        torch.save(model.state_dict(), path)  # expect: DDP201

    for epoch in range(options["epochs"]):
        model(torch.ones(2, 4)).sum().backward()
        save(options["path"])
