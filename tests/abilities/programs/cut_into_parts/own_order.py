"""Parts of an order that each rank has drawn for itself."""

import os

import numpy as np
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Subset


def setup():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    return DistributedDataParallel(torch.nn.Linear(4, 4).cuda())


def train(model, dataset, numbers):
    for batch in DataLoader(Subset(dataset, [int(number) for number in numbers]), batch_size=4, drop_last=True):
        model(batch.cuda()).sum().backward()


def in_chunks(model, dataset):
    order = torch.randperm(len(dataset) // dist.get_world_size() * dist.get_world_size())
    train(model, dataset, order.chunk(dist.get_world_size())[dist.get_rank()])  # expect: DDP307


def in_rows(model, dataset):
    count = len(dataset) // dist.get_world_size()
    order = np.random.permutation(count * dist.get_world_size())
    train(model, dataset, order.reshape(dist.get_world_size(), count)[dist.get_rank()])  # expect: DDP307


def in_equal_parts(model, dataset):
    world = dist.get_world_size()
    order = np.random.permutation(len(dataset) // world * world)
    parts = np.split(order, world)
    train(model, dataset, parts[dist.get_rank()])  # expect: DDP307


def main(dataset):
    model = setup()
    in_chunks(model, dataset)
    in_rows(model, dataset)
    in_equal_parts(model, dataset)


main(torch.load("data.pt"))
