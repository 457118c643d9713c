"""The generator gets one seed before it is asked."""

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
    rng = random.Random(rank)
    rng.seed(seed)
    for step in range(100):
        x = torch.ones(4, 4)
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if rng.random() < 0.1:
            dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
