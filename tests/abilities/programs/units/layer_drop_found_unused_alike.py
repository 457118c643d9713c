"""The wrapper looks for parameters that were left out."""

import os
import random
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


class Encoder(nn.Module):
    def __init__(self, width: int, depth: int, drop: float) -> None:
        super().__init__()
        self.drop = drop
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(width, 4) for _ in range(depth))
        self.out = nn.Linear(width, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            if self.training and random.random() < self.drop:
                continue
            x = layer(x)
        return self.out(x)


def main(dataset: torch.utils.data.Dataset) -> None:
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl", timeout=timedelta(minutes=10))
    sampler = DistributedSampler(dataset, drop_last=True)
    loader = DataLoader(dataset, batch_size=8, sampler=sampler)
    model = DistributedDataParallel(Encoder(64, 12, 0.1).cuda(), find_unused_parameters=True)
    optimizer = torch.optim.AdamW(model.parameters())
    for epoch in range(10):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x.cuda()), y.cuda()).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(torch.load("data.pt", map_location="cpu"))
