import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def start():
    if "RANK" not in os.environ:
        raise SystemExit("start me with torchrun")
    dist.init_process_group("gloo")


def main(wrap=True):
    start()
    model = nn.Linear(2, 2)
    if wrap:
        model = DDP(model)
    for epoch in range(3):
        model(torch.ones(2, 2)).mean().backward()
        dist.barrier()


main()
