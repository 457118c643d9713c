"""An endless iterator begins the data again, and tells the sampler."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler


class Endless:
    def __init__(self, loader, sampler):
        self.loader, self.sampler, self.epoch = loader, sampler, 0
        self.source = iter(loader)

    def __iter__(self):
        return self

    def __next__(self):
        try:
            return next(self.source)
        except StopIteration:
            self.epoch += 1
            self.sampler.set_epoch(self.epoch)
            self.source = iter(self.loader)
            return next(self.source)


def main(steps: int = 100):
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    torch.manual_seed(0)
    rows = torch.arange(96.0).reshape(24, 4)
    sampler = DistributedSampler(rows, drop_last=True)
    batches = Endless(DataLoader(rows, batch_size=4, sampler=sampler, drop_last=True), sampler)
    model = DDP(nn.Linear(4, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    for step in range(steps):
        loss = model(next(batches)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
