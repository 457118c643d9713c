import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


class Lines(torch.utils.data.IterableDataset):
    def __init__(self, lines):
        self.lines = lines

    def __iter__(self):
        world = dist.get_world_size()
        whole = len(self.lines) // world * world
        for number in range(dist.get_rank(), whole, world):
            yield self.lines[number]


dist.init_process_group("gloo")
model = DistributedDataParallel(torch.nn.Linear(8, 1))
for line in torch.utils.data.DataLoader(Lines(sys.argv[1:])):
    model(line).mean().backward()
