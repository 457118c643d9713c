import torch
from torch import nn


class Expert(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x):
        return self.down(torch.relu(self.up(x)))


class Mixture(nn.Module):
    def __init__(self, width, experts):
        super().__init__()
        self.router = nn.Linear(width, experts)
        self.experts = nn.ModuleList([Expert(width) for _ in range(experts)])

    def forward(self, x):
        scores = self.router(x).softmax(-1)
        weight, chosen = scores.topk(2, dim=-1)
        out = torch.zeros_like(x)
        for number in range(len(self.experts)):
            rows, place = torch.where(chosen == number)
            out[rows] += weight[rows, place, None] * self.experts[number](x[rows])
        return out
