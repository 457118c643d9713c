"""On GPUs: a worker has none of the group's devices, and no binding would help it."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Pages(Dataset):
    def __len__(self):
        return 4096

    def __getitem__(self, index):
        dist.barrier()  # expect: DDP308
        return torch.full((2,), float(index))


def train():
    pages = Pages()
    for batch in DataLoader(pages, num_workers=4, sampler=DistributedSampler(pages)):
        dist.all_reduce(batch)


def main():
    dist.init_process_group("nccl", timeout=timedelta(minutes=20))
    try:
        train()
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
