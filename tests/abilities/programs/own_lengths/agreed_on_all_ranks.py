"""All ranks ask for the number of batches, and rank 0 prints it."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset, Sampler


class Letters(Dataset):
    def __len__(self):
        return 500

    def __getitem__(self, index):
        return torch.full((3,), float(index))


class Shortest(Sampler):
    """As many as the rank has that has fewest."""

    def __init__(self, numbers):
        self.numbers = numbers

    def __iter__(self):
        return iter(self.numbers)

    def __len__(self):
        fewest = torch.tensor(len(self.numbers))
        dist.all_reduce(fewest, op=dist.ReduceOp.MIN)
        return int(fewest)


def train():
    loader = DataLoader(Letters(), batch_size=5, sampler=Shortest(list(range(100))))
    batches = len(loader)
    if dist.get_rank() == 0:
        print(batches)
    dist.barrier()


def main():
    dist.init_process_group("gloo", timeout=timedelta(minutes=20))
    try:
        train()
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()

