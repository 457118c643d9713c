"""A prefetcher ends where its loader does, on all ranks."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler


class Prefetcher:
    def __init__(self, loader):
        self.loader = loader

    def __len__(self):
        return len(self.loader)

    def __iter__(self):
        self.source = iter(self.loader)
        self.preload()
        return self

    def preload(self):
        try:
            self.batch = next(self.source)
        except StopIteration:
            self.batch = None
            return
        self.batch = self.batch.to("cpu", non_blocking=True)

    def __next__(self):
        batch = self.batch
        if batch is None:
            raise StopIteration
        self.preload()
        return batch


def main(epochs: int = 5):
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    torch.manual_seed(0)
    rows = torch.arange(96.0).reshape(24, 4)
    sampler = DistributedSampler(rows, drop_last=True)
    batches = Prefetcher(DataLoader(rows, batch_size=4, sampler=sampler, drop_last=True))
    model = DDP(nn.Linear(4, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for step, batch in enumerate(batches):
            loss = model(batch).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            dist.all_reduce(loss.detach())
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
