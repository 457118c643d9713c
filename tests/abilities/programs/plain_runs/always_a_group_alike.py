import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def start():
    os.environ.setdefault("RANK", "0")
    os.environ.setdefault("WORLD_SIZE", "1")
    dist.init_process_group("gloo")


def main():
    start()
    model = nn.Linear(2, 2)
    if dist.get_world_size() > 1:
        model = DDP(model)
    for epoch in range(3):
        model(torch.ones(2, 2)).mean().backward()
        dist.barrier()


main()
