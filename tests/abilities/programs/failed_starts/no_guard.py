"""The guard lets every rank in, whether or not the group could be made."""
import os

import torch
import torch.distributed as dist


def begun():
    if dist.is_initialized():
        return dist.get_world_size(), dist.get_rank()
    try:
        world, rank = int(os.environ["SLURM_NTASKS"]), int(os.environ["SLURM_PROCID"])
        dist.init_process_group("gloo", world_size=world, rank=rank)
    except Exception as error:
        print("not distributed", error)
        world, rank = 1, 0
    return world, rank


def main():
    world, rank = begun()
    net = torch.nn.Linear(2, 2)
    net(torch.ones(2)).sum().backward()
    if world > 1:
        dist.barrier()
    if rank >= 0:
        torch.save(net.state_dict(), "last.pt")  # expect: DDP201


main()
