"""One process alone spreads its model."""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


def main():
    several = "RANK" in os.environ
    if several:
        dist.init_process_group("gloo")
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1))
    model = DistributedDataParallel(model) if several else nn.DataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    data = torch.load("rows.pt", map_location="cpu")
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=8, sampler=sampler)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for rows in loader:
            optimizer.zero_grad()
            model(rows).square().mean().backward()
            optimizer.step()
    if several:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
