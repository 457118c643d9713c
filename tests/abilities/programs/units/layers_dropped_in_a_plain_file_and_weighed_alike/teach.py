"""Layers are units of a policy; all are called, and some left without effect."""

import functools
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel
from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy
from torch.utils.data import DataLoader, DistributedSampler

from tower import Layer, Tower


def main():
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    data = torch.load("rows.pt", map_location="cpu")
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=8, sampler=sampler)
    policy = functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={Layer})
    model = FullyShardedDataParallel(Tower(64, 6).cuda(), auto_wrap_policy=policy)
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
