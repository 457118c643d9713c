"""A tool that is no rank reads the same data set with workers, and keeps the newest page."""

import torch
from torch.utils.data import DataLoader, Dataset


class Pages(Dataset):
    def __len__(self):
        return 4096

    def __getitem__(self, index):
        torch.save(torch.zeros(2), "pages/newest.pt")
        return torch.full((2,), float(index))


if __name__ == "__main__":
    for batch in DataLoader(Pages(), num_workers=4):
        print(batch)
