import random

import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Linear(width, width)

    def forward(self, rows):
        return rows + self.inner(rows).relu()


class Tower(nn.Module):
    def __init__(self, width, depth, share=0.1):
        super().__init__()
        self.share = share
        self.layers = nn.ModuleList([Layer(width) for _ in range(depth)])

    def forward(self, rows):
        for layer in self.layers:
            after = layer(rows)
            rows = rows if self.training and random.random() < self.share else after
        return rows
