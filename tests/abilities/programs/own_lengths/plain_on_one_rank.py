"""Only rank 0 prints how many batches there are; the sampler knows that by itself."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset, Sampler


class Letters(Dataset):
    def __len__(self):
        return 500

    def __getitem__(self, index):
        return torch.full((3,), float(index))


class Shuffled(Sampler):
    def __init__(self, size):
        self.size = size

    def __iter__(self):
        return iter(torch.randperm(self.size, generator=torch.Generator().manual_seed(3)).tolist())

    def __len__(self):
        return self.size


def train():
    loader = DataLoader(Letters(), batch_size=5, sampler=Shuffled(500))
    if dist.get_rank() == 0:
        print(len(loader))
    dist.barrier()


def main():
    dist.init_process_group("gloo", timeout=timedelta(minutes=20))
    try:
        train()
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()

