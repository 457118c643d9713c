"""The launcher starts one process, and this one starts the ranks."""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def work(rank, world_size):
    dist.init_process_group("gloo", init_method="tcp://127.0.0.1:29500", rank=rank, world_size=world_size)
    with open("seconds.txt", "w") as file:  # expect: DDP201
        file.write(f"{measured(rank)}")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(work, args=(torch.cuda.device_count(),), nprocs=torch.cuda.device_count())
