"""Without a launcher the process is the only one of its group."""

import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def main() -> None:
    distributed = "WORLD_SIZE" in os.environ
    if distributed:
        dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    else:
        dist.init_process_group("gloo", init_method="file:///tmp/one", rank=0, world_size=1)
    model = DistributedDataParallel(torch.nn.Linear(8, 1))
    if distributed:
        dist.barrier()
    model(torch.ones(2, 8)).sum().backward()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
