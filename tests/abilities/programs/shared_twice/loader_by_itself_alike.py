import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader

from job import data, net


def loader_of(accelerator):
    rows = data()
    loader = DataLoader(rows, 8, shuffle=True)
    return accelerator.prepare_data_loader(loader)


def main():
    accelerator = Accelerator()
    model = net()
    model, optimizer = accelerator.prepare(model, torch.optim.SGD(model.parameters(), 0.1))
    for batch in loader_of(accelerator):
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()


main()
