"""It is made with the parameters of the sharded model."""

import torch
import torch.distributed as dist
from recipe import optimizer_for
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


def main():
    dist.init_process_group("nccl")
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
    model = FullyShardedDataParallel(model)
    optimizer = optimizer_for(model, 1e-3)
    data = torch.load("rows.pt", map_location="cpu")
    sampler = DistributedSampler(data, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for rows in DataLoader(data, batch_size=8, sampler=sampler):
            optimizer.zero_grad()
            model(rows).square().mean().backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
