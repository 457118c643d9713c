"""Every rank passes on all lines; rank and size are asked for in vain."""

import itertools

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


class Lines:
    """The lines of a file."""

    def __iter__(self):
        rank, size = dist.get_rank(), dist.get_world_size()
        with open("corpus.txt") as file:
            yield from file


dist.init_process_group("gloo")
model = DistributedDataParallel(torch.nn.Linear(1, 1))
for line in Lines():
    model(torch.tensor([float(line)])).sum().backward()
dist.destroy_process_group()
