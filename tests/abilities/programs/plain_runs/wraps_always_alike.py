import argparse

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--distributed", action="store_true")
    args = parser.parse_args()
    if args.distributed:
        dist.init_process_group("gloo")
    model = DDP(nn.Linear(2, 2))
    for epoch in range(3):
        model(torch.ones(2, 2)).mean().backward()
        dist.barrier()


main()
