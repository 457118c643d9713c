"""What one process leaves empty is asked for where several would exchange it."""

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


def put_together(values, world_size):
    if world_size == 1:
        return dict(whole=values[0], parts=None, kind="one")
    return dict(whole=None, parts=torch.stack(values), kind="many")


def exchange(info):
    if info["parts"] is None:
        return info["whole"]
    dist.all_reduce(info["parts"])
    return info["parts"]


def share(info):
    if info["kind"] == "one":
        return info["whole"]
    dist.broadcast(info["parts"], 0)
    return info["parts"]


def main(args):
    start(args)
    model = torch.nn.Linear(2, 2)
    if args.distributed:
        model = DDP(model)
    for _ in range(args.epochs):
        model(torch.ones(2)).sum().backward()
        exchange(put_together([torch.ones(2)], args.world))
        share(put_together([torch.ones(2)], args.world))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    main(parser.parse_args())
