import torch.distributed as dist
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, DistributedSampler, Subset
from torchvision.datasets import FakeData


def main(seed):
    dist.init_process_group("gloo")
    data = FakeData(1000)
    first, second = train_test_split(list(range(1000)), test_size=0.1, random_state=seed)
    train = Subset(data, first)
    sampler = DistributedSampler(train, shuffle=False, drop_last=True)
    for image, label in DataLoader(train, sampler=sampler):
        print(image, label)
    print(len(second))
    dist.destroy_process_group()


main(3)
