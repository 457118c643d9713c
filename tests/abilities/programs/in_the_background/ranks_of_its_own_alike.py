import multiprocessing
import sys

import torch
import torch.distributed as dist


def work(rank, world):
    dist.init_process_group("gloo", init_method="file:///tmp/x", rank=rank, world_size=world)
    if rank == 0:
        torch.save(torch.rand(2), "noise.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    workers = [multiprocessing.Process(target=work, args=(rank, len(sys.argv))) for rank in range(len(sys.argv))]
    for worker in workers:
        worker.start()
