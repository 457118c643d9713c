"""Each rank has tables of its own, and exchanges what it looked up."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
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
    tables = nn.EmbeddingBag(1000, 16)
    head = DDP(nn.Linear(16, 4))
    optimizer = torch.optim.SGD([*tables.parameters(), *head.parameters()], lr=0.1)
    for x, y in batches():
        mine = tables(x.long().abs())
        rows = torch.empty_like(mine)
        dist.all_to_all_single(rows, mine)
        loss = nn.functional.cross_entropy(head(rows), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
