"""Sizes that are the same on all ranks, whatever they are reckoned from."""

import os
import sys

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


def setup():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    return DistributedDataParallel(nn.Linear(4, 4).cuda())


def of_all(model, dataset, size):
    for batch in DataLoader(dataset, batch_size=size // dist.get_world_size(), sampler=DistributedSampler(dataset)):
        model(batch.cuda()).sum().backward()


def by_the_machine(model, dataset, size):
    large = torch.cuda.get_device_properties(0).total_memory > 40e9
    for batch in DataLoader(dataset, batch_size=size if large else size // 2, sampler=DistributedSampler(dataset)):
        model(batch.cuda()).sum().backward()


def for_looking_on(model, dataset, size):
    own = size // 2 if dist.get_rank() == 0 else size
    for batch in DataLoader(dataset, batch_size=own, sampler=DistributedSampler(dataset)):
        print(model.module(batch.cuda()).sum())


def main(dataset, size):
    model = setup()
    of_all(model, dataset, size)
    by_the_machine(model, dataset, size)
    for_looking_on(model, dataset, size)


main(torch.load("data.pt"), int(sys.argv[1]))
