"""One process changes the rate of an optimizer that trains nothing of this."""

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def main():
    accelerator = Accelerator()
    model = nn.Linear(8, 8)
    optimizer = torch.optim.AdamW(model.parameters())
    other = torch.optim.SGD(nn.Linear(1, 1).parameters(), 0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(other, 100)
    loader = DataLoader(torch.load("rows.pt"), batch_size=8, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for _ in range(3):
        for rows in loader:
            loss = (model(rows) - rows).square().mean()
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            if accelerator.is_main_process:
                scheduler.step()


if __name__ == "__main__":
    main()
