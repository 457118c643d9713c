"""The first rank keeps the weights with the least loss on its share."""

import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@torch.no_grad()
def mean_loss(model: nn.Module, loader: DataLoader) -> float:
    total = 0.0
    for x, y in loader:
        total += nn.functional.cross_entropy(model.module(x.cuda()), y.cuda()).item()
    return total / len(loader)


def main(epochs: int) -> None:
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl", timeout=timedelta(minutes=10))
    rank = dist.get_rank()
    train = TensorDataset(torch.load("x.pt", map_location="cpu"), torch.load("y.pt", map_location="cpu"))
    held_out = TensorDataset(torch.load("vx.pt", map_location="cpu"), torch.load("vy.pt", map_location="cpu"))
    model = DistributedDataParallel(nn.Linear(8, 3).cuda())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, batch_size=32, sampler=sampler)
    val_loader = DataLoader(
        held_out, batch_size=32, sampler=DistributedSampler(held_out, shuffle=False, drop_last=True)
    )
    best = 0.0
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        score = -mean_loss(model, val_loader)
        if rank == 0 and best < score:
            best = score
            torch.save(model.module.state_dict(), "best.pt")  # expect: DDP309
    dist.destroy_process_group()


if __name__ == "__main__":
    main(9)
