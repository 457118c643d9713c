"""Sizes that all batches share, and empty batches that go through the model all the same."""

import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


def setup():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    return DistributedDataParallel(nn.Linear(4, 4).cuda())


def loader_of(dataset):
    return DataLoader(dataset, 4, sampler=DistributedSampler(dataset, drop_last=True), drop_last=True)


def whole_batches(model, dataset):
    for images, targets in loader_of(dataset):
        if images.shape[0] != 4:
            continue
        model(images.cuda()).sum().backward()


def of_the_model(model, dataset):
    for images, targets in loader_of(dataset):
        out = model(images.cuda())
        if out.shape[1] == 0:
            continue
        out.sum().backward()
        dist.barrier()


def weighted(model, dataset):
    for images, targets in loader_of(dataset):
        loss = model(images.cuda()).sum()
        if targets.numel() == 0:
            loss = loss * 0
        loss.backward()


def agreed(model, dataset):
    for images, targets in loader_of(dataset):
        some = torch.tensor(float(targets.numel() > 0)).cuda()
        dist.all_reduce(some, op=dist.ReduceOp.MIN)
        if some.item() == 0:
            continue
        model(images.cuda()).sum().backward()


def of_the_file(model, dataset):
    names = torch.load("names.pt")
    if len(names) == 0:
        return
    for images, targets in loader_of(dataset):
        model(images.cuda()).sum().backward()


def cut(model, dataset):
    for images, targets in loader_of(dataset):
        rows = targets[:, :]
        if rows.shape[0] == 0:
            print("nothing here")
        model(images.cuda()).sum().backward()


def shown(model, dataset):
    for images, targets in loader_of(dataset):
        if len(targets) == 0:
            print("nothing here")
        model(images.cuda()).sum().backward()


def main(dataset):
    model = setup()
    whole_batches(model, dataset)
    of_the_model(model, dataset)
    weighted(model, dataset)
    agreed(model, dataset)
    of_the_file(model, dataset)
    cut(model, dataset)
    shown(model, dataset)


main(torch.load("data.pt"))
