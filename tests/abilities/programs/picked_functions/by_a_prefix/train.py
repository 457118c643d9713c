"""Which helper begins depends on an option; what it returns is the rank, whichever it is."""
import argparse

import starting
import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--by", default="torchrun")
args = parser.parse_args()
_, number = getattr(starting, f"start_{args.by}")("gloo")
if number == 0:
    dist.all_reduce(torch.ones(1))  # expect: DDP101
dist.barrier()
