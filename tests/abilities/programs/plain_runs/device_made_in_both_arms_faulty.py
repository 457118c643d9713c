import argparse

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def start(options):
    if options.together:
        dist.init_process_group("gloo")
        where = torch.device("cuda", dist.get_rank() % torch.cuda.device_count())
        torch.cuda.set_device(where)
    else:
        print("one process")
        where = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    return where


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--together", action="store_true")
    options = parser.parse_args()
    where = start(options)
    model = DDP(nn.Linear(2, 2).to(where))  # expect: DDP114
    for epoch in range(3):
        model(torch.ones(2, 2)).mean().backward()


main()
