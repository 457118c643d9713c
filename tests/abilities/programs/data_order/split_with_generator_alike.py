import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler, random_split
from torchvision.datasets import FakeData


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(dist.get_rank())
    data = FakeData(1000)
    train, held_out = random_split(data, [900, 100], generator=torch.Generator().manual_seed(42))
    sampler = DistributedSampler(train, shuffle=False, drop_last=True)
    for image, label in DataLoader(train, sampler=sampler):
        print(image, label)
    print(len(held_out))
    dist.destroy_process_group()


main()
