"""The sampler draws its order in the rank itself, where all meet to agree on it."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Pages(Dataset):
    def __len__(self):
        return 4096

    def __getitem__(self, index):
        index += 1
        return torch.full((2,), float(index))


class Agreed(DistributedSampler):
    def __iter__(self):
        seed = torch.tensor(self.seed)
        dist.broadcast(seed, src=0)
        return super().__iter__()


def train():
    pages = Pages()
    for batch in DataLoader(pages, num_workers=4, sampler=Agreed(pages)):
        dist.all_reduce(batch)


def main():
    dist.init_process_group("gloo", timeout=timedelta(minutes=20))
    try:
        train()
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
