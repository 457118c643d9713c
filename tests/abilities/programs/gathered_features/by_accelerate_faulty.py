"""Both views are gathered by the library."""

import torch
from accelerate import Accelerator
from torch import nn
from torch.nn.functional import cross_entropy, normalize
from torch.utils.data import DataLoader, TensorDataset


def contrast(a, b):
    z = normalize(torch.cat([a, b]), dim=1)
    return cross_entropy(z @ z.T / 0.1, torch.arange(len(z)).roll(len(a)))


def main():
    accelerator = Accelerator()
    model = nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(TensorDataset(torch.zeros(64, 4), torch.zeros(64, 4)), batch_size=4)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for one, other in loader:
        a = accelerator.gather(model(one))  # expect: DDP606
        b = accelerator.gather(model(other))  # expect: DDP606
        loss = contrast(a, b)
        optimizer.zero_grad()
        accelerator.backward(loss)
        optimizer.step()


main()
