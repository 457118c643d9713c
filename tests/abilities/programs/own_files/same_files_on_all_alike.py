import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def train(names):
    net = DDP(torch.nn.Linear(4, 4))
    for name in sorted(names):
        with open(name) as story:
            for line in story:
                net(torch.tensor([float(word) for word in line.split()])).sum().backward()


dist.init_process_group("gloo")
train(sys.argv)
