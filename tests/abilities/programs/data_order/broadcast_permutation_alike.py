import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler, Subset
from torchvision.datasets import FakeData


def main():
    dist.init_process_group("gloo")
    data = FakeData(1000)
    order = torch.randperm(len(data))
    dist.broadcast(order, src=0)
    train = Subset(data, order[:900])
    sampler = DistributedSampler(train, shuffle=False, drop_last=True)
    for image, label in DataLoader(train, sampler=sampler):
        print(image, label)
    dist.destroy_process_group()


main()
