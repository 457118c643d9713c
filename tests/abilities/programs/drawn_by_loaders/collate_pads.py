"""What makes a batch looks at its own rows only; the ranks meet over the batch."""

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


def longest(rows):
    return torch.stack(rows)


def train():
    pages = Pages()
    loader = DataLoader(pages, 8, sampler=DistributedSampler(pages), num_workers=2, collate_fn=longest)
    for batch in loader:
        length = torch.tensor(len(batch))
        dist.all_reduce(length, op=dist.ReduceOp.MAX)


def main():
    dist.init_process_group("gloo", timeout=timedelta(minutes=20))
    try:
        train()
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
