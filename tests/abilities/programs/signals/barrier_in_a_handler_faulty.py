import signal
import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def leave(number, frame):
    dist.barrier()  # expect: DDP104
    sys.exit(number)


def main(rows):
    dist.init_process_group("gloo")
    signal.signal(signal.SIGTERM, leave)
    net = DistributedDataParallel(torch.nn.Linear(3, 1))
    for row in rows:
        net(row).mean().backward()
    dist.destroy_process_group()


main([torch.randn(3)])
