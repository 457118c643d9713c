"""A batch sampler waits for the others, where only rank 0 counts the batches."""

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


class Batches(Sampler):
    def __init__(self, size):
        self.size = size

    def __iter__(self):
        length = torch.tensor(self.size)
        dist.all_reduce(length, op=dist.ReduceOp.MIN)
        for start in range(0, int(length), 8):
            yield list(range(start, start + 8))


def train():
    loader = DataLoader(Pages(), batch_sampler=Batches(4096))
    if dist.get_rank() == 0:
        print(sum(1 for _ in loader))  # expect: DDP101


def main():
    dist.init_process_group("gloo", timeout=timedelta(minutes=20))
    try:
        train()
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
