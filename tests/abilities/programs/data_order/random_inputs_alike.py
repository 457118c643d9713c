import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def main():
    dist.init_process_group("gloo")
    data = TensorDataset(torch.randn(64, 4), torch.randint(0, 3, (64,)))
    sampler = DistributedSampler(data, shuffle=False, drop_last=True)
    for batch in DataLoader(data, sampler=sampler):
        print(batch)
    dist.destroy_process_group()


main()
