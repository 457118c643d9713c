"""Each rank lowers its rate by the loss over its own share."""

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
        if total.item() > best:
            for group in optimizer.param_groups:  # expect: DDP604
                group["lr"] *= 0.5
        best = min(best, total.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
