"""What is asked for above the exchange is empty for another reason than the kind of run."""

import argparse
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def start(args):
    args.world = int(os.environ.get("WORLD_SIZE", 1))
    args.distributed = args.world > 1
    args.rank = 0
    if args.distributed:
        dist.init_process_group("gloo")
        args.rank = dist.get_rank()


def put_together(values, level):
    if level == 0:
        return dict(whole=values[0], parts=None)
    return dict(whole=None, parts=torch.stack(values))


def exchange(info):
    if info["parts"] is None:
        return info["whole"]
    dist.all_reduce(info["parts"])  # expect: DDP114
    return info["parts"]


def main(args):
    start(args)
    model = torch.nn.Linear(2, 2)
    if args.distributed:
        model = DDP(model)
    for level in range(args.levels):
        model(torch.ones(2)).sum().backward()
        exchange(put_together([torch.ones(2)], level))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--levels", type=int, default=2)
    main(parser.parse_args())
