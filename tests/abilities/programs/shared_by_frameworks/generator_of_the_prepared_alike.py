"""The generator is made of the prepared loader."""

from collections.abc import Iterator
from datetime import timedelta

import torch
from accelerate import Accelerator, InitProcessGroupKwargs
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def again(batches: DataLoader) -> Iterator:
    while True:
        yield from batches


def main(steps: int) -> None:
    accelerator = Accelerator(kwargs_handlers=[InitProcessGroupKwargs(timeout=timedelta(minutes=10))])
    data = TensorDataset(torch.arange(800, dtype=torch.float32).view(100, 8))
    model = nn.Linear(8, 8)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model, optimizer = accelerator.prepare(model, optimizer)
    batches = again(accelerator.prepare(DataLoader(data, batch_size=8, shuffle=True)))
    for _ in range(steps):
        (x,) = next(batches)
        loss = (model(x) - x).square().mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    main(1000)
