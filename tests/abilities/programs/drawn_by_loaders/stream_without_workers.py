"""The rank itself draws from the stream, which is as long on all of them."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, IterableDataset


class Pages(IterableDataset):
    def __iter__(self):
        for number in range(512):
            seen = torch.tensor(number)
            dist.all_reduce(seen)
            yield seen


def train():
    pages = Pages()
    for index, batch in enumerate(DataLoader(pages)):
        print(index, batch)


def main():
    dist.init_process_group("gloo", timeout=timedelta(minutes=20))
    try:
        train()
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
