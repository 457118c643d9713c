"""Several ranks hold one model, and want the same samples."""

import lightning as L
import torch
from lightning.fabric.strategies import ModelParallelStrategy
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main(epochs: int) -> None:
    fabric = L.Fabric(accelerator="cuda", devices=4, strategy=ModelParallelStrategy(lambda module, mesh: module))
    fabric.launch()
    data = TensorDataset(torch.arange(800, dtype=torch.float32).view(100, 8))
    model = nn.Linear(8, 8)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model, optimizer = fabric.setup(model, optimizer)
    loader = DataLoader(data, batch_size=8, shuffle=True)
    for _ in range(epochs):
        for (x,) in loader:
            loss = (model(x) - x).square().mean()
            fabric.backward(loss)
            optimizer.step()
            optimizer.zero_grad()


if __name__ == "__main__":
    main(10)
