import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler


class Net(nn.Module):
    def __init__(self, positive=False):
        super().__init__()
        self.line = nn.Linear(8, 1)
        self.positive = positive

    def forward(self, x):
        y = self.line(x)
        losses = {"loss": y.mean(), "negative": torch.zeros(())}
        if (y < 0).any():
            losses["negative"] = y.sum()
        if self.positive:
            losses["positive"] = y.sum()
        return losses


class Parts(nn.Module):
    def forward(self, x):
        return [row.max() for row in x]


class Optional(nn.Module):
    def __init__(self):
        super().__init__()
        self.line = nn.Linear(8, 1)

    def forward(self, x):
        y = self.line(x)
        losses = {"loss": y.mean()}
        if (y > 0).any():
            losses["positive"] = y.sum()
        losses.setdefault("positive", torch.zeros(()))
        return losses


def each_loss(data, options):
    dist.init_process_group("gloo")
    net = DDP(Net(options.positive))
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        losses = net(x)
        for name in sorted(losses):
            dist.all_reduce(losses[name])


def of_an_unknown_model(data, model):
    dist.init_process_group("gloo")
    net = DDP(model)
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        for value in net(x).values():
            dist.all_reduce(value)


def each_part(data):
    dist.init_process_group("gloo")
    net = DDP(Parts())
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        for part in net(x):
            dist.all_reduce(part)


def filled_up(data):
    dist.init_process_group("gloo")
    net = DDP(Optional())
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        for value in net(x).values():
            dist.all_reduce(value)


def only_the_loss(data):
    dist.init_process_group("gloo")
    net = DDP(Net())
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        losses = net(x)
        dist.all_reduce(losses["loss"].detach())
        sum(losses.values()).backward()
