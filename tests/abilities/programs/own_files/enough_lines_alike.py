import itertools
import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def train(names):
    rank, world = dist.get_rank(), dist.get_world_size()
    net = DDP(torch.nn.Linear(4, 4))
    names = sorted(names)[: len(names) // world * world]
    for name in names[rank::world]:
        with open(name) as story:
            for line in itertools.islice(story, 100):
                net(torch.tensor([float(word) for word in line.split()])).sum().backward()


dist.init_process_group("gloo")
train(sys.argv)
