"""A helper that nobody can follow gets the head: it may see to its gradients."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from helpers_of_the_team import reduce_gradients
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Encoder(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.first = nn.Linear(8, width)
        self.second = nn.Linear(width, width)

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


def batches():
    data = TensorDataset(torch.randn(256, 8), torch.randint(4, (256,)))
    return DataLoader(data, batch_size=8, sampler=DistributedSampler(data, shuffle=False, drop_last=True))


def main():
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    torch.manual_seed(0)
    encoder = DDP(Encoder())
    head = nn.Linear(16, 4)
    optimizer = torch.optim.AdamW([*encoder.parameters(), *head.parameters()], lr=1e-3)
    for x, y in batches():
        loss = nn.functional.cross_entropy(head(encoder(x)), y)
        optimizer.zero_grad()
        loss.backward()
        reduce_gradients(head)
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
