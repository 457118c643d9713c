"""Pages, by number."""

import torch
from keeping import keep
from torch.utils.data import Dataset


class Pages(Dataset):
    def __len__(self):
        return 4096

    def __getitem__(self, index):
        return keep(torch.full((2,), float(index)), index)
