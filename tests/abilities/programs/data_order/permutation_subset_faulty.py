import numpy as np
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler, Subset
from torchvision.datasets import FakeData


def main():
    dist.init_process_group("gloo")
    data = FakeData(1000)
    order = np.random.permutation(len(data))
    cut = int(0.9 * len(data))
    train = Subset(data, order[:cut])
    sampler = DistributedSampler(train, shuffle=False, drop_last=True)  # expect: DDP307
    for image, label in DataLoader(train, sampler=sampler):
        print(image, label)
    dist.destroy_process_group()


main()
