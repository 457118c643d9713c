"""One rank evaluates and puts each model back into the mode that it had, whichever an option has chosen."""

import argparse

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

parser = argparse.ArgumentParser()
parser.add_argument("--body", action="store_true")
parser.add_argument("--head", action="store_true")
args = parser.parse_args()


class Entry:
    def __init__(self, model, trainable):
        self.model, self.trainable = model, trainable


def evaluate(entries, data):
    modes = []
    for entry in entries:
        modes.append(entry.model.training)
        entry.model.eval()
    with torch.no_grad():
        for x in data:
            entries[0].model.module(x)
    for entry, training in zip(entries, modes):
        if training:
            entry.model.train()


dist.init_process_group("gloo")
data = torch.randn(64, 8)
model = DDP(torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Dropout()))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
entries = [Entry(model, args.body), Entry(torch.nn.Linear(8, 8), args.head)]
for entry in entries:
    if entry.trainable:
        entry.model.train()
    else:
        entry.model.eval()
sampler = DistributedSampler(data, shuffle=False, drop_last=True)
for step, x in enumerate(DataLoader(data, sampler=sampler)):
    optimizer.zero_grad()
    model(x).mean().backward()
    optimizer.step()
    if step % 10 == 0 and dist.get_rank() == 0:
        evaluate(entries, data)
dist.destroy_process_group()
