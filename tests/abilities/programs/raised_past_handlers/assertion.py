"""A rank whose check fails ends with an error: it does not leave the part out. Nobody catches that error."""

import argparse

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler


class Model(nn.Module):
    def __init__(self, strict):
        super().__init__()
        self.strict = strict
        self.body = nn.Linear(8, 8)
        self.extra = nn.Linear(8, 8)

    def forward(self, x):
        y = self.body(x)
        if self.strict:
            assert (x > 3).any(), "nothing to be seen here"
        y = y + self.extra(x)
        return y


parser = argparse.ArgumentParser()
parser.add_argument("--strict", action="store_true")
args = parser.parse_args()


def train():
    data = torch.randn(64, 8)
    sampler = DistributedSampler(data, shuffle=False, drop_last=True)
    model = DDP(Model(args.strict))
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
