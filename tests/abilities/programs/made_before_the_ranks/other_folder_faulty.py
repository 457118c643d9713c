"""The process that starts the ranks makes another folder, or makes it in some runs only."""

import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def made(folder):
    if not os.path.exists(folder):
        os.makedirs(folder)  # expect: DDP205
    return folder


def work(rank, world_size, config):
    dist.init_process_group("gloo", init_method="tcp://127.0.0.1:29500", rank=rank, world_size=world_size)
    train(made("cache"))
    dist.destroy_process_group()


def main():
    config = read()
    print(made("logs"))
    mp.spawn(work, args=(torch.cuda.device_count(), config), nprocs=torch.cuda.device_count())


if __name__ == "__main__":
    main()
