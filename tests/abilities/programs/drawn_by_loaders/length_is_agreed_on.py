"""The ranks agree on the length where the data set is made, in their own processes."""

import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Pages(Dataset):
    def __init__(self):
        count = torch.tensor(len(os.listdir("pages")))
        dist.broadcast(count, src=0)
        self.count = int(count)

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return torch.full((2,), float(index))


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
