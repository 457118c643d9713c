"""Nobody knows whether there are workers; the shares are as large, so the ranks meet without them."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Pages(Dataset):
    def __len__(self):
        return 4096

    def __getitem__(self, index):
        dist.barrier()
        return torch.full((2,), float(index))


def train():
    pages = Pages()
    for batch in DataLoader(pages, num_workers=int(input()), sampler=DistributedSampler(pages)):
        dist.all_reduce(batch)


def main():
    dist.init_process_group("gloo", timeout=timedelta(minutes=20))
    try:
        train()
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
