"""The numbers left over are not counted: the loop makes as many steps on all ranks."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset, Sampler


class Letters(Dataset):
    def __len__(self):
        return 500

    def __getitem__(self, index):
        return torch.full((3,), float(index))


class Share(Sampler):
    """What is left of some numbers after each rank has taken its own."""

    def __init__(self, size):
        self.size = size // dist.get_world_size()
        self.numbers = list(range(size))[dist.get_rank() :: dist.get_world_size()]

    def __iter__(self):
        return iter(self.numbers)

    def __len__(self):
        return self.size


def train():
    loader = DataLoader(Letters(), sampler=Share(501))
    for _ in range(len(loader)):
        dist.all_reduce(torch.ones(1))


def main():
    dist.init_process_group("gloo", timeout=timedelta(minutes=20))
    try:
        train()
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()

