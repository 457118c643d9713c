import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader, random_split
from torchvision.datasets import FakeData


def main():
    accelerator = Accelerator()
    data = FakeData(100)
    torch.manual_seed(accelerator.process_index)
    train, held_out = random_split(data, [90, 10], torch.Generator().manual_seed(1))
    loader = accelerator.prepare(DataLoader(train, shuffle=True))
    for batch in loader:
        print(batch)
    print(len(held_out))


main()
