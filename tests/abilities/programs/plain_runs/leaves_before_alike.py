import argparse

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def train(model):
    for batch in torch.ones(4, 2, 2):
        model(batch).mean().backward()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--distributed", action="store_true")
    args = parser.parse_args()
    model = nn.Linear(2, 2)
    if not args.distributed:
        train(model)
        return
    dist.init_process_group("gloo")
    model = DDP(model)
    train(model)
    dist.barrier()


main()
