"""Only the first rank asks for one more batch."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader


class Synced:
    """Each batch is the first rank's."""

    def __init__(self, loader):
        self.loader = loader

    def __iter__(self):
        self.source = iter(self.loader)
        return self

    def __next__(self):
        batch = next(self.source)
        dist.broadcast(batch, src=0)
        return batch


def main():
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    batches = Synced(DataLoader(torch.arange(96.0).reshape(24, 4), batch_size=4))
    ready = iter(batches)
    if dist.get_rank() == 0:
        batch = next(ready)  # expect: DDP101
        print(batch.mean().item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
