import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def main(start=0):
    dist.init_process_group("gloo")
    data = TensorDataset(torch.arange(100.0))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, sampler=sampler)
    for epoch in range(3):
        sampler.set_epoch(epoch + start * dist.get_world_size())
        for batch in loader:
            print(batch)
    dist.destroy_process_group()


main()
