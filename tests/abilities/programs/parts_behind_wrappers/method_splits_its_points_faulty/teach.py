"""A method exchanges the parameters of its model; behind the wrapper its points are split."""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

from points import Points


def main():
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    data = torch.load("rows.pt", map_location="cpu")
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=8, sampler=sampler)
    model = DistributedDataParallel(Points(torch.randn(100, 8)).cuda())
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for rows in loader:
            loss = (model(rows.cuda()) - rows.cuda()).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.module.split(0.01)
        optimizer = torch.optim.Adam(model.parameters())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
