"""A stream keeps how far it has come, for all ranks under one name."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, IterableDataset


class Pages(IterableDataset):
    def __iter__(self):
        for number in range(512):
            seen = torch.tensor(number)
            torch.save(seen, "position.pt")  # expect: DDP201
            yield seen


def train():
    pages = Pages()
    for index, batch in enumerate(DataLoader(pages, num_workers=2)):
        print(index, batch)


def main():
    dist.init_process_group("gloo", timeout=timedelta(minutes=20))
    try:
        train()
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
