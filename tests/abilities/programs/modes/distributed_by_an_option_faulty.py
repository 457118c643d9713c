"""What is done by an option comes before the group, which is made where several processes were started."""

import argparse
import os

import numpy as np
import torch
import torch.distributed as dist


def prepare(args):
    np.savez_compressed(os.path.join(args.folder, "texts"), encoded(args))  # expect: DDP201


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", default="out")
    parser.add_argument("--texts", action="store_true")
    args = parser.parse_args()
    args.distributed = int(os.environ.get("WORLD_SIZE", 1)) > 1
    if args.texts:
        prepare(args)
    if args.distributed:
        dist.init_process_group("gloo")
    model = torch.nn.Linear(2, 2)
    if args.distributed:
        model = torch.nn.parallel.DistributedDataParallel(model)
        dist.destroy_process_group()
