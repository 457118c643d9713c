"""A generator: all ranks meet once, before the first number."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset, Sampler


class Pages(Dataset):
    def __len__(self):
        return 4096

    def __getitem__(self, index):
        index += 1
        return torch.full((2,), float(index))


class Yielding(Sampler):
    def __init__(self, size):
        self.size = size

    def __iter__(self):
        seed = torch.randint(1 << 20, (1,))
        dist.broadcast(seed, src=0)
        generator = torch.Generator().manual_seed(int(seed))
        order = torch.randperm(self.size, generator=generator)
        yield from order[dist.get_rank() * len(self) : (dist.get_rank() + 1) * len(self)].tolist()

    def __len__(self):
        return self.size // dist.get_world_size()


def train():
    sampler = Yielding(4096)
    for batch in DataLoader(Pages(), sampler=sampler, drop_last=True):
        dist.all_reduce(batch)


def main():
    dist.init_process_group("gloo", timeout=timedelta(minutes=20))
    try:
        train()
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
