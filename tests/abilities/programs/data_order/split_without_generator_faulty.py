import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset, DistributedSampler, random_split


class Images(Dataset):
    def __len__(self):
        return 1000

    def __getitem__(self, index):
        return torch.full((3, 8, 8), index / 1000)


def loaders():
    data = Images()
    train, held_out = random_split(data, [900, 100])
    sampler = DistributedSampler(train, shuffle=False, drop_last=True)  # expect: DDP307
    return DataLoader(train, sampler=sampler), DataLoader(held_out)


def main():
    dist.init_process_group("gloo")
    train, held_out = loaders()
    for batch in train:
        print(batch.mean())
    print(len(held_out))
    dist.destroy_process_group()


main()
