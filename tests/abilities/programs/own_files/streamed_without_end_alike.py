import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

from torch.utils.data import DataLoader, IterableDataset


class Stories(IterableDataset):
    def __init__(self, names):
        world = dist.get_world_size()
        self.mine = sorted(names)[: len(names) // world * world][dist.get_rank() :: world]

    def __iter__(self):
        while True:
            for name in self.mine:
                with open(name) as story:
                    yield from story


dist.init_process_group("gloo")
net = DDP(torch.nn.Linear(4, 4))
for step, x in enumerate(DataLoader(Stories(sys.argv), batch_size=8)):
    if step == 1000:
        break
    net(x).sum().backward()
