import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main(extra):
    accelerator = Accelerator()
    data = TensorDataset(torch.load("x.pt"), torch.load("y.pt"))
    model = nn.Sequential(nn.Linear(8, 2), nn.BatchNorm1d(2))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    loader = DataLoader(data, 8, shuffle=True, drop_last=True)
    model, *others = accelerator.prepare(model, *extra)
    optimizer, loader = accelerator.prepare(optimizer, loader)
    print(others)
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        if accelerator.is_main_process:
            print(model(x).sum())  # expect: DDP102


main(torch.load("extra.pt"))
