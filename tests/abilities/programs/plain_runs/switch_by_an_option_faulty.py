import argparse
import os
from contextlib import contextmanager

import torch
import torch.distributed as dist


def begin(distributed_enabled=True):
    if distributed_enabled:
        os.environ.setdefault("RANK", "0")
        os.environ.setdefault("WORLD_SIZE", "1")
        dist.init_process_group("gloo")


@contextmanager
def job(folder, distributed_enabled=True):
    begin(distributed_enabled=distributed_enabled)
    try:
        yield folder
    finally:
        dist.destroy_process_group()


def evaluate(sums):
    dist.all_reduce(sums)  # expect: DDP114
    if dist.is_initialized():
        dist.barrier()
    return sums


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="out")
    parser.add_argument("--distributed", action="store_true")
    args = parser.parse_args()
    with job(args.out, args.distributed):
        print(evaluate(torch.zeros(1)))


if __name__ == "__main__":
    main()
