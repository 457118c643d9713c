"""The same, under the number of the page."""

from datetime import timedelta

import torch.distributed as dist
from pages import Pages
from torch.utils.data import DataLoader, DistributedSampler, Subset

if __name__ == "__main__":
    dist.init_process_group("gloo", timeout=timedelta(minutes=20))
    part = Subset(Pages(), range(1024))
    for batch in DataLoader(part, sampler=DistributedSampler(part), num_workers=2):
        dist.all_reduce(batch)
    dist.destroy_process_group()
