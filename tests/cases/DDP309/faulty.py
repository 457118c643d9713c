import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def accuracy(model, loader):
    right = 0
    with torch.no_grad():
        for x, y in loader:
            right += model(x).argmax(1).eq(y).sum().item()
    return right / len(loader.dataset)  # expect: DDP309


dist.init_process_group("gloo")
data = TensorDataset(torch.load("x.pt"), torch.load("y.pt"))
loader = DataLoader(data, batch_size=8, sampler=DistributedSampler(data, shuffle=False))
print(accuracy(nn.Linear(4, 3), loader))
