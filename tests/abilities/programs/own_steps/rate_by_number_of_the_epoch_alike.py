"""All ranks lower their rate in the same epochs."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


def main():
    dist.init_process_group("gloo")
    model = DistributedDataParallel(nn.Linear(8, 8))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    data = torch.load("rows.pt", map_location="cpu")
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=8, sampler=sampler)
    best = 1e9
    for epoch in range(9):
        sampler.set_epoch(epoch)
        total = torch.zeros(1)
        for rows in loader:
            loss = (model(rows) - rows).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.detach()
        if epoch % 3 == 2:
            for group in optimizer.param_groups:
                group["lr"] *= 0.5
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
