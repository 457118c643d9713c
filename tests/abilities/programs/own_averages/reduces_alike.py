"""The program averages the gradients itself."""

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(8, 8)
        self.down = nn.Linear(8, 1)

    def forward(self, rows):
        return self.down(self.up(rows).relu())


def main():
    accelerator = Accelerator()
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    loader = DataLoader(torch.load("rows.pt", map_location="cpu"), batch_size=8, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    inner = accelerator.unwrap_model(model)
    for rows in loader:
        loss = inner(rows).square().mean()
        optimizer.zero_grad()
        accelerator.backward(loss)
        for one in inner.parameters():
            one.grad = accelerator.reduce(one.grad, reduction="mean")
        optimizer.step()
    accelerator.wait_for_everyone()
    accelerator.save(inner.state_dict(), "model.pt")


if __name__ == "__main__":
    main()
