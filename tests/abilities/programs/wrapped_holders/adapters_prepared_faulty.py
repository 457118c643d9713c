import torch
from accelerate import Accelerator
from torch import nn

from job import Trunk, batches


class Adapters(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)


def main():
    accelerator = Accelerator()
    trunk = Trunk()
    adapters = Adapters(trunk.adapters())
    optimizer = torch.optim.AdamW(adapters.parameters(), lr=1e-3)
    adapters, optimizer, loader = accelerator.prepare(adapters, optimizer, batches())  # expect: DDP601
    for batch in loader:
        loss = trunk(batch).pow(2).mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()


main()
