"""The other model is trained by one rank, for itself."""

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
    encoder = DDP(Encoder(4))
    probe = nn.Linear(8, 4)
    optimizer = torch.optim.SGD(encoder.parameters(), lr=0.1)
    own = torch.optim.SGD(probe.parameters(), lr=0.1)
    for x, y in batches():
        loss = nn.functional.cross_entropy(encoder(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if dist.get_rank() == 0:
            own.zero_grad()
            nn.functional.cross_entropy(probe(x), y).backward()
            own.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
