import torch
from torch import nn


class Expert(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, rows):
        return self.down(self.up(rows).relu())


class Block(nn.Module):
    def __init__(self, width, experts, off=()):
        super().__init__()
        self.router = nn.Linear(width, experts)
        self.experts = nn.ModuleList(Expert(width) for _ in range(experts))
        self.off = off

    def forward(self, rows):
        chosen, out = self.router(rows).argmax(-1), torch.zeros_like(rows)
        for number in range(len(self.experts)):
            (mine,) = torch.where(chosen == number)
            if number in self.off:
                continue
            out[mine] = self.experts[number](rows[mine])
        return out


class Stack(nn.Module):
    def __init__(self, width, depth, experts):
        super().__init__()
        self.blocks = nn.ModuleList(Block(width, experts) for _ in range(depth))

    def forward(self, rows):
        for block in self.blocks:
            rows = rows + block(rows)
        return rows
