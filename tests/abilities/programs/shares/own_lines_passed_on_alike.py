"""Each rank passes on as many lines as all others."""

import itertools

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


class Lines:
    """The lines of a file."""

    def __iter__(self):
        rank, size = dist.get_rank(), dist.get_world_size()
        with open("corpus.txt") as file:
            yield from itertools.islice(file, 1000 * rank, 1000 * (rank + 1))


dist.init_process_group("gloo")
model = DistributedDataParallel(torch.nn.Linear(1, 1))
for line in Lines():
    model(torch.tensor([float(line)])).sum().backward()
dist.destroy_process_group()
