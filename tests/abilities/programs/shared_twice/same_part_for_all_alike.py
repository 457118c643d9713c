import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader, Subset, TensorDataset


def main():
    accelerator = Accelerator()
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = TensorDataset(torch.arange(100.0).reshape(25, 4))
    part = Subset(data, range(0, len(data), 2))
    loader = DataLoader(part, batch_size=4, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        loss = model(batch[0].to(accelerator.device)).pow(2).mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()


main()
