import argparse
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def start(args):
    args.distributed = int(os.environ.get("WORLD_SIZE", 1)) > 1
    args.rank = 0
    if args.distributed:
        if "SLURM_PROCID" in os.environ:
            dist.init_process_group("gloo", world_size=int(os.environ["SLURM_NTASKS"]), rank=int(os.environ["SLURM_PROCID"]))
        else:
            dist.init_process_group("gloo")
        args.rank = dist.get_rank()


def main(args):
    start(args)
    resume = args.resume == "latest"
    if args.check:
        if args.logs is None and not resume:
            print("nowhere to write")
            return
    if resume:
        if args.remote is not None:
            print("not from there")
            return
    model = torch.nn.Linear(2, 2)
    if args.distributed:
        model = DDP(model)
    for _ in range(args.epochs):
        dist.barrier()  # expect: DDP114
        model(torch.ones(2)).sum().backward()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--logs", default="logs")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--remote")
    parser.add_argument("--resume")
    main(parser.parse_args())
