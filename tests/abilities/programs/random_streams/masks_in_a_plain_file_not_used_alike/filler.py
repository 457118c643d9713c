import torch
from torch import nn


class Filler(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner, self.outer = nn.Linear(width, width), nn.Linear(width, width)

    def hide(self, rows):
        return rows * (torch.rand(rows.shape, device=rows.device) > 0.5)

    def forward(self, rows):
        return self.outer(self.inner(rows).relu())
