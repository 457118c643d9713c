import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def describe(names):
    rank, world = dist.get_rank(), dist.get_world_size()
    net = DDP(torch.nn.Linear(4, 4))
    for name in sorted(names)[rank::world]:
        with open(f"{name}.out", "w") as told, open(name) as story:
            for line in story:
                told.write(str(len(line)))
    dist.barrier()
    net(torch.ones(4)).sum().backward()


dist.init_process_group("gloo")
describe(sys.argv)
