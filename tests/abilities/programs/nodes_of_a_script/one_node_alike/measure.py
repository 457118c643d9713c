"""The project is trained on several nodes, and this is started on one: a second node would share the data of the first."""

import os

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    data = list(range(1000))
    found = [measured(batch) for batch in DataLoader(data, sampler=DistributedSampler(data, rank=local))]
    kept = [None] * dist.get_world_size()
    dist.all_gather_object(kept, found)
    if local == 0:
        os.makedirs("found")
        torch.save(kept, "found/all.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
