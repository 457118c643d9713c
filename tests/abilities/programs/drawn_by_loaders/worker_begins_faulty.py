"""Workers wait for the other ranks before they begin."""

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


def begin(worker):
    torch.manual_seed(worker)
    dist.barrier()  # expect: DDP308


def train():
    pages = Pages()
    sampler = DistributedSampler(pages)
    for batch in DataLoader(pages, sampler=sampler, num_workers=2, worker_init_fn=begin):
        dist.all_reduce(batch)


def main():
    dist.init_process_group("gloo", timeout=timedelta(minutes=20))
    try:
        train()
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
