import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, RandomSampler, TensorDataset


def loader_of(rows, least):
    shares = DistributedSampler(rows, drop_last=True)
    if len(rows) >= least:
        return DataLoader(rows, batch_size=8, sampler=shares), shares
    again = RandomSampler(rows, replacement=True, num_samples=least)
    return DataLoader(rows, batch_size=8, sampler=again), shares  # expect: DDP303


def main():
    dist.init_process_group("gloo")
    batches, shares = loader_of(torch.load(sys.argv[1]), 100)
    net = DistributedDataParallel(torch.nn.Linear(3, 1))
    for epoch in range(4):
        shares.set_epoch(epoch)
        for row in batches:
            net(row).mean().backward()
    dist.destroy_process_group()


main()
