"""Experts are units within the units of their blocks; one without rows is called, too."""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler

from stack import Stack


def main():
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    data = torch.load("rows.pt", map_location="cpu")
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=8, sampler=sampler)
    model = Stack(64, 4, 8).cuda()
    for block in model.blocks:
        for expert in block.experts:
            fully_shard(expert)
        fully_shard(block)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters())
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for rows in loader:
            loss = (model(rows.cuda()) - rows.cuda()).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
