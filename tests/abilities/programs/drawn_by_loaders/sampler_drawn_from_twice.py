"""A loop for training and one for a look at the end: the sampler is asked twice, by all ranks."""

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


class Agreed(Sampler):
    def __init__(self, size):
        self.size = size

    def __iter__(self):
        seed = torch.randint(1 << 20, (1,))
        dist.broadcast(seed, src=0)
        generator = torch.Generator().manual_seed(int(seed))
        order = torch.randperm(self.size, generator=generator)
        return iter(order[dist.get_rank() * len(self) : (dist.get_rank() + 1) * len(self)].tolist())

    def __len__(self):
        return self.size // dist.get_world_size()


def train():
    loader = DataLoader(Pages(), sampler=Agreed(4096), num_workers=2)
    for _epoch in range(3):
        for batch in loader:
            dist.all_reduce(batch)
    for batch in loader:
        dist.all_reduce(batch)


def main():
    dist.init_process_group("gloo", timeout=timedelta(minutes=20))
    try:
        train()
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
