import argparse
import os

import numpy as np
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def train(options, rank):
    model = torch.nn.Linear(4, 4)
    if rank != -1:
        model = DistributedDataParallel(model)
    model(torch.ones(2, 4)).sum().backward()
    return np.ones(3)


parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int, default=-1)
parser.add_argument("--search", action="store_true")
options = parser.parse_args()
rank = int(os.environ.get("RANK", -1))
if options.local_rank != -1:
    dist.init_process_group("gloo")
if not options.search:
    train(options, rank)
else:
    for _ in range(3):
        np.savetxt("search.txt", train(options, rank))  # expect: DDP201
