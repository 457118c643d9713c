import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset, random_split

from project import open_data


def main(seed=0):
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    data = open_data()
    torch.manual_seed(seed + rank)
    parts = random_split(data, [0.9, 0.1])
    sampler = DistributedSampler(parts[0], shuffle=False, drop_last=True)  # expect: DDP307
    for batch in DataLoader(parts[0], sampler=sampler):
        print(batch)
    dist.destroy_process_group()


main()
