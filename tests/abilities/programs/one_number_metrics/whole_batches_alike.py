import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    accelerator = Accelerator()
    data = TensorDataset(torch.load("x.pt"), torch.load("y.pt"))
    loader = DataLoader(data, 8, drop_last=True)
    model, loader = accelerator.prepare(nn.Linear(8, 2), loader)
    found = []
    for x, y in loader:
        with torch.no_grad():
            loss = nn.functional.cross_entropy(model(x), y, reduction="none")
        found.append(accelerator.gather_for_metrics(loss.mean()))
    print(torch.cat(found).mean())


main()
