"""Each rank lowers its rate by what it has of a layer in a sharded model."""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler

from brake import Brake


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, rows):
        return self.head(self.body(rows).relu())


def main():
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    model = Net().cuda()
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters())
    brake = Brake(optimizer, 8.0)
    data = torch.load("rows.pt", map_location="cpu")
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=8, sampler=sampler)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for rows in loader:
            loss = (model(rows.cuda()) - rows.cuda()).square().mean()
            optimizer.zero_grad()
            loss.backward()
            brake.look(model.head)
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
