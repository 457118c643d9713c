"""Names that all ranks have alike, folders that each makes for itself, and files beside the folder."""

import os
import time
from pathlib import Path

import torch
import torch.distributed as dist


def setup():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    return dist.get_rank()


def sent(rank):
    name = [time.strftime("%Y%m%d-%H%M%S")]
    dist.broadcast_object_list(name, 0)
    out = Path("runs") / name[0]
    if rank == 0:
        out.mkdir(parents=True)
    dist.barrier()
    torch.save({}, out / f"rank{rank}.pt")


def each_its_own(rank):
    out = Path("runs") / f"{rank}-{time.time()}"
    out.mkdir(parents=True)
    torch.save({}, out / "last.pt")


def beside(rank):
    stamp = time.strftime("%Y%m%d-%H%M%S")
    if rank == 0:
        os.makedirs(os.path.join("runs", stamp))
    with open(f"log-{rank}-{stamp}.txt", "w") as log:
        log.write("begins")


def main():
    rank = setup()
    sent(rank)
    each_its_own(rank)
    beside(rank)


main()
