"""Another library parts the group of all ranks where an option asks for it: without it one process goes on."""

import argparse
import os

import torch
import torch.distributed as dist
from fairscale.nn.model_parallel import initialize as parallel
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def start(args):
    if "RANK" not in os.environ:
        print("not distributed")
        args.distributed = False
        return
    args.distributed = True
    dist.init_process_group("gloo")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--parts", type=int, default=1)
    args = parser.parse_args()
    start(args)
    if args.parts > 1:
        parallel.initialize_model_parallel(args.parts)
    model = nn.Linear(2, 2)
    if args.distributed:
        print("several")
    model = DDP(model)  # expect: DDP114
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in torch.ones(4, 2, 2):
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
    total = torch.zeros(1)
    if args.distributed:
        dist.barrier()
    dist.all_reduce(total)


if __name__ == "__main__":
    main()
