import torch.distributed as dist
from torch import nn


class Mixed(nn.Module):
    def forward(self, x):
        dist.all_reduce(x)
        return x
