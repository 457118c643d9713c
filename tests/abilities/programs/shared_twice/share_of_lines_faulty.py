import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader, IterableDataset, TensorDataset


class Lines(IterableDataset):
    def __init__(self, number, count):
        self.number, self.count = number, count

    def __iter__(self):
        with open("lines.txt") as file:
            for index, line in enumerate(file):
                if index % self.count == self.number:
                    yield torch.tensor([float(word) for word in line.split()])


def main():
    accelerator = Accelerator()
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = TensorDataset(torch.arange(100.0).reshape(25, 4))
    lines = Lines(accelerator.process_index, accelerator.num_processes)
    loader = DataLoader(lines, batch_size=4)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)  # expect: DDP304
    for batch in loader:
        loss = model(batch[0].to(accelerator.device)).pow(2).mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()


main()
