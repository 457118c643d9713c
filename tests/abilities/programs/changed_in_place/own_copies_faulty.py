"""The copy goes the other way round: what rank 0 says is overwritten by what each rank had."""

import torch
import torch.distributed as dist

dist.init_process_group("gloo")


def back(given):
    moved = given.clone()
    dist.broadcast(moved, src=0)
    moved.copy_(given)
    return moved


def main():
    mine = torch.tensor([float(dist.get_rank())])
    if back(mine).item() > 0:
        dist.barrier()  # expect: DDP101


main()
