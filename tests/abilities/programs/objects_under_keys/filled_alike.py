"""Averages that all ranks have from the start, and some that nobody reduces."""

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
    averages = {"loss": Average(), "high": Average()}
    own = {}
    for out in steps(dataset):
        averages["loss"].add(out.mean().item())
        if out.max() > 3:
            averages["high"].add(out.max().item())
            own["low"] = Average()
    for average in averages.values():
        average.over_ranks()
    if "high" in averages:
        dist.barrier()
    for name, average in own.items():
        print(name, average.total)
    if "low" in own:
        print("low")


def by_names(dataset):
    averages = {}
    for out in steps(dataset):
        for name in ("loss", "high"):
            if name not in averages:
                averages[name] = Average()
            averages[name].add(out.max().item())
    for average in averages.values():
        average.over_ranks()
    if "loss" in averages:
        dist.barrier()


main(torch.load("data.pt"))
by_names(torch.load("data.pt"))
