"""Started on two nodes, which share the data and the folder."""

import os

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    data = list(range(1000))
    found = [measured(batch) for batch in DataLoader(data, sampler=DistributedSampler(data, rank=local))]  # expect: DDP304
    kept = [None] * dist.get_world_size()
    dist.all_gather_object(kept, found)
    if local == 0:
        os.makedirs("found")  # expect: DDP204
        torch.save(kept, "found/all.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
