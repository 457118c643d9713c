"""The main process draws from its own loader before there is a group; then the ranks begin."""

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


def train():
    pages = Pages()
    for batch in DataLoader(pages, num_workers=4, sampler=DistributedSampler(pages)):
        dist.all_reduce(batch)


def main():
    print(len(list(DataLoader(Pages(), num_workers=2))))
    dist.init_process_group("gloo", timeout=timedelta(minutes=20))
    try:
        train()
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
