"""Rank 0 makes the folder of the run by its clock, and every rank puts its own file where its clock says."""

import os
import time
from pathlib import Path

import torch
import torch.distributed as dist


def setup():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    return dist.get_rank()


def main():
    rank = setup()
    out = Path("runs") / time.strftime("%Y%m%d-%H%M%S")  # expect: DDP206
    if rank == 0:
        out.mkdir(parents=True)
    dist.barrier()
    torch.save({}, out / f"rank{rank}.pt")


main()
