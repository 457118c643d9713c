"""A table of two functions: one of them brings only rank 0 to a collective."""
import argparse

import torch
import torch.distributed as dist


def average(x):
    dist.all_reduce(x)
    return x


def shown(x):
    if dist.get_rank() == 0:
        dist.all_reduce(x)  # expect: DDP101
    return x


WAYS = {"average": average, "shown": shown}
parser = argparse.ArgumentParser()
parser.add_argument("--way", choices=sorted(WAYS))
args = parser.parse_args()
dist.init_process_group("gloo")
WAYS[args.way](torch.ones(1))
dist.barrier()
