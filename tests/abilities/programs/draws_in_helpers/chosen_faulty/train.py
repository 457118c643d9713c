import torch
import torch.distributed as dist
from few import few_of_each
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def main():
    dist.init_process_group("gloo")
    images, labels = torch.load("images.pt"), torch.load("labels.pt")
    data = few_of_each(TensorDataset(images, labels), labels, 40)
    sampler = DistributedSampler(data, shuffle=False, drop_last=True)  # expect: DDP307
    for x, y in DataLoader(data, batch_size=4, sampler=sampler):
        print(x, y)
    dist.destroy_process_group()


main()
