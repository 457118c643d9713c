import torch
from accelerate import Accelerator
from torch import nn

from job import batches


class Adapters(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def main():
    accelerator = Accelerator()
    adapters = Adapters([nn.Linear(4, 4), nn.Linear(4, 1)])
    optimizer = torch.optim.AdamW(adapters.parameters(), lr=1e-3)
    adapters, optimizer, loader = accelerator.prepare(adapters, optimizer, batches())
    for batch in loader:
        loss = adapters(batch).pow(2).mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()


main()
