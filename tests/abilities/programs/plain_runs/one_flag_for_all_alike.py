import argparse

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--launcher", default="none")
    args = parser.parse_args()
    several = args.launcher != "none"
    model = nn.Linear(2, 2)
    if several:
        dist.init_process_group("gloo")
        model = DDP(model)
    for epoch in range(3):
        model(torch.ones(2, 2)).mean().backward()
        several and dist.barrier()
        if several:
            dist.barrier()


main()
