"""The process that starts the ranks makes the folder, by the same function: they find it."""

import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def folder_of(folders):
    for folder in folders:
        if os.path.exists(folder):
            return folder
    os.makedirs(folder)
    return folder


def made(folder):
    if not os.path.exists(folder):
        os.makedirs(folder)
    return folder


def work(rank, world_size, config):
    dist.init_process_group("gloo", init_method="tcp://127.0.0.1:29500", rank=rank, world_size=world_size)
    data = torch.load(os.path.join(folder_of(config.folders), "data.pt"))
    train(data, made(config.cache))
    dist.destroy_process_group()


def main():
    config = read()
    if config.several:
        print(folder_of(config.folders), made(config.cache))
        mp.spawn(work, args=(torch.cuda.device_count(), config), nprocs=torch.cuda.device_count())


if __name__ == "__main__":
    main()
