"""A bar of the project's own hands the batches on, and the sampler learns the epoch."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler


class Bar:
    def __init__(self, iterable, name):
        self.iterable, self.name, self.total = iterable, name, len(iterable)

    def __iter__(self):
        self._iterator, self._index = iter(self.iterable), -1
        return self

    def __next__(self):
        self._index += 1
        try:
            value = next(self._iterator)
        except StopIteration:
            raise
        else:
            return value
        finally:
            if self._index % max(1, self.total // 5) == 0:
                print(self.name, self._index)


def main(epochs: int = 5):
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    torch.manual_seed(0)
    rows = torch.arange(96.0).reshape(24, 4)
    sampler = DistributedSampler(rows, drop_last=True)
    loader = DataLoader(rows, batch_size=4, sampler=sampler, drop_last=True)
    model = DDP(nn.Linear(4, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        bar = Bar(loader, f"epoch {epoch}")
        for step, batch in enumerate(bar):
            loss = model(batch).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
