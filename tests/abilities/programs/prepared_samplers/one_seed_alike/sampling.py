import torch
from torch.utils.data import Sampler


class Episodes(Sampler):
    def __init__(self, starts, ends):
        self.indices = [i for a, b in zip(starts, ends) for i in range(a, b)]

    def __iter__(self):
        for i in torch.randperm(len(self.indices)):
            yield self.indices[i]

    def __len__(self):
        return len(self.indices)
