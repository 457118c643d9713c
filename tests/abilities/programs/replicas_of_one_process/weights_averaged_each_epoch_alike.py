"""The weights are averaged at the end of each epoch."""

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(8, 8)
        self.down = nn.Linear(8, 1)

    def forward(self, rows):
        return self.down(self.up(rows).relu())


def main():
    dist.init_process_group("gloo")
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    data = torch.load("rows.pt", map_location="cpu")
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=8, sampler=sampler)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        total = torch.zeros(())
        for rows in loader:
            optimizer.zero_grad()
            loss = model(rows).square().mean()
            loss.backward()
            optimizer.step()
            total += loss.detach()
        dist.all_reduce(total)
        for one in model.parameters():
            dist.all_reduce(one.data)
            one.data /= dist.get_world_size()
    if dist.get_rank() == 0:
        torch.save(model.state_dict(), "model.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
