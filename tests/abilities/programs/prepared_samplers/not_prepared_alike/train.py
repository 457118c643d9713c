import torch
from accelerate import Accelerator
from sampling import Episodes
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    accelerator = Accelerator()
    torch.manual_seed(11 + accelerator.process_index)
    blob = torch.load("episodes.pt")
    data = TensorDataset(blob["x"], blob["y"])
    loader = DataLoader(data, 8, sampler=Episodes(blob["starts"], blob["ends"]))
    model = nn.Linear(8, 2)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    model, optimizer = accelerator.prepare(model, optimizer)
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()


main()
