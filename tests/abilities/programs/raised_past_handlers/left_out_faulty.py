"""The rank goes on without the part."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 8)
        self.extra = nn.Linear(8, 8)

    def forward(self, x):
        y = self.body(x)
        if (x > 3).any():
            y = y + self.extra(x)  # expect: DDP701
        return y


def train():
    data = torch.randn(64, 8)
    sampler = DistributedSampler(data, shuffle=False, drop_last=True)
    model = DDP(Model())
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for x in DataLoader(data, sampler=sampler):
        optimizer.zero_grad()
        model(x).mean().backward()
        optimizer.step()


dist.init_process_group("gloo")
try:
    train()
except KeyboardInterrupt:
    print("stopped by hand")
