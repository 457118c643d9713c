"""The process that starts the ranks makes the folder where it is asked to look."""

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
    train(made(config.cache))
    dist.destroy_process_group()


def main():
    config = read()
    if config.look_first:
        print(made(config.cache))
    mp.spawn(work, args=(torch.cuda.device_count(), config), nprocs=torch.cuda.device_count())


if __name__ == "__main__":
    main()
