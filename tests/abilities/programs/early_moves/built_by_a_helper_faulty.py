import argparse
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def build():
    where = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return torch.nn.Linear(3, 1).to(where)  # expect: DDP403


def begin(options):
    options.gpu = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(options.gpu)
    dist.init_process_group("nccl", init_method="env://")


def main():
    options = argparse.ArgumentParser().parse_args()
    net = build()
    begin(options)
    net = DistributedDataParallel(net.to(options.gpu), device_ids=[options.gpu])
    net(torch.randn(3).to(options.gpu)).mean().backward()
    dist.destroy_process_group()


main()
