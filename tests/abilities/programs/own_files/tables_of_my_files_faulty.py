import csv
import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

from torch.utils.data import DataLoader, IterableDataset


class Tables(IterableDataset):
    def __init__(self, names):
        world = dist.get_world_size()
        self.mine = sorted(names)[: len(names) // world * world][dist.get_rank() :: world]

    def __iter__(self):
        for name in self.mine:
            with open(name) as table:
                for row in csv.reader(table):
                    yield row


dist.init_process_group("gloo")
net = DDP(torch.nn.Linear(4, 4))
for x in DataLoader(Tables(sys.argv), batch_size=8):
    net(x).sum().backward()  # expect: DDP106
