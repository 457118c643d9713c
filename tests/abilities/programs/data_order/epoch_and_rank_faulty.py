import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    data = TensorDataset(torch.arange(100.0))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, sampler=sampler)
    for epoch in range(3):
        loader.sampler.set_epoch(epoch * dist.get_world_size() + rank)  # expect: DDP307
        for batch in loader:
            print(batch)
    dist.destroy_process_group()


main()
