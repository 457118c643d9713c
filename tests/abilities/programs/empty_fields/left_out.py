"""Batches in which there may be nothing to learn from are left out by the rank that has one."""

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


def boxes_of(batch):
    found = batch["boxes"]
    if found.numel() == 0:
        return None
    return found.float()


def by_helper(model, dataset):
    for batch in loader_of(dataset):
        boxes = boxes_of(batch)
        if boxes is None:  # expect: DDP104
            continue
        model(boxes.cuda()).sum().backward()


def by_shape(model, dataset):
    for images, targets in loader_of(dataset):
        if targets.shape[0] < 1:  # expect: DDP104
            continue
        model(images.cuda()).sum().backward()


def by_truth(model, dataset):
    for images, targets in loader_of(dataset):
        if not targets.size(0):
            print("nothing here")
        else:
            model(images.cuda()).sum().backward()  # expect: DDP104


def main(dataset):
    model = setup()
    by_helper(model, dataset)
    by_shape(model, dataset)
    by_truth(model, dataset)


main(torch.load("data.pt"))
