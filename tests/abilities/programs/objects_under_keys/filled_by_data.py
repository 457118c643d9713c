"""Averages that are made when there is something to count: a rank whose data never has it reduces one less."""

import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


class Average:
    def __init__(self):
        self.total, self.count = 0.0, 0

    def add(self, value):
        self.total += value
        self.count += 1

    def over_ranks(self):
        both = torch.tensor([self.total, self.count], device="cuda")
        dist.all_reduce(both)
        self.total, self.count = both.tolist()


def steps(dataset):
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    model = DistributedDataParallel(torch.nn.Linear(4, 4).cuda())
    for batch in DataLoader(dataset, 4, sampler=DistributedSampler(dataset, drop_last=True)):
        out = model(batch.cuda())
        out.sum().backward()
        yield out.detach()


def main(dataset):
    averages = {"loss": Average()}
    for out in steps(dataset):
        averages["loss"].add(out.mean().item())
        if out.max() > 3:
            averages.setdefault("high", Average()).add(out.max().item())
        if out.min() < -3:
            averages["low"] = Average()
    for average in averages.values():
        average.over_ranks()  # expect: DDP106
    if "low" in averages:
        dist.barrier()  # expect: DDP104


main(torch.load("data.pt"))
