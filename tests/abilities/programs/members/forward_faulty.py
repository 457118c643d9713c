import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.line = nn.Linear(8, 1)

    def forward(self, x):
        y = self.line(x)
        losses = {"loss": y.mean()}
        if (y > 0).any():
            losses["positive"] = y.sum()
        return losses


class Parts(nn.Module):
    def forward(self, x):
        found = []
        for row in x:
            if row.max() > 0:
                found.append(row)
        return found


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = Net()

    def forward(self, x):
        return {name: value * 2 for name, value in self.net(x).items()}


def each_loss(data):
    dist.init_process_group("gloo")
    net = DDP(Net())
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        losses = net(x)
        for name in sorted(losses):
            dist.all_reduce(losses[name])  # expect: DDP106


def each_part(data):
    dist.init_process_group("gloo")
    net = DDP(Parts())
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        for part in net(x):
            dist.all_reduce(part)  # expect: DDP106


def by_a_part_of_the_model(data):
    dist.init_process_group("gloo")
    net = DDP(Inner())
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        for value in net(x).values():
            dist.all_reduce(value)  # expect: DDP106
