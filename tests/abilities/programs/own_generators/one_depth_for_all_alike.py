"""A number that all draw alike decides for all, and is no noise."""

import random
from datetime import timedelta

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def main(seed: int = 0):
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    rank = dist.get_rank()
    torch.manual_seed(seed)
    model = DDP(nn.Linear(4, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    same = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)
    for step in range(100):
        x = torch.ones(4, 4, requires_grad=True) * (2.0 if torch.rand(1, generator=same).item() < 0.5 else 1.0)
        x = x * (0.5 if torch.rand(1).item() < 0.5 else 1.0)
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
