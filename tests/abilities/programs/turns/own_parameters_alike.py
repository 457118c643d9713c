import json

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


class Deal:
    def __init__(self, rows, rank, world):
        self.rows, self.rank, self.world = rows, rank, world

    def __iter__(self):
        usable = len(self.rows) // self.world * self.world
        for at, row in enumerate(self.rows[:usable]):
            if at % self.world == self.rank:
                yield row


def fit(rows):
    dist.init_process_group("gloo")
    net = DDP(torch.nn.Linear(3, 1))
    for row in Deal(rows, dist.get_rank(), dist.get_world_size()):
        net(row).mean().backward()


fit(json.load(open("rows.json")))
