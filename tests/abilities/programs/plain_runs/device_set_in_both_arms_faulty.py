import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--many", action="store_true")
    args = parser.parse_args()
    if args.many:
        dist.init_process_group("gloo")
        number, count = int(os.environ["LOCAL_RANK"]), dist.get_world_size()
    else:
        number, count = 0, 1
    model = DDP(nn.Linear(2, 2))  # expect: DDP114
    for epoch in range(3 * count):
        model(torch.ones(2, 2)).mean().backward()
    if number == 0:
        print("done")
    if args.many:
        dist.destroy_process_group()


main()
