"""The first rank writes before there is a loader, and the others wait; the samples only read."""

import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Pages(Dataset):
    def __init__(self):
        if dist.get_rank() == 0:
            os.makedirs("pages", exist_ok=True)
            torch.save(torch.zeros(4096), "pages/all.pt")
        dist.barrier()

    def __len__(self):
        return 4096

    def __getitem__(self, index):
        return torch.load("pages/all.pt")[index]


def train():
    pages = Pages()
    for batch in DataLoader(pages, num_workers=4, sampler=DistributedSampler(pages)):
        dist.all_reduce(batch)


def main():
    dist.init_process_group("gloo", timeout=timedelta(minutes=20))
    try:
        train()
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
