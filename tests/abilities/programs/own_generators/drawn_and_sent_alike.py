"""The first rank's number decides."""

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
    for step in range(100):
        x = torch.ones(4, 4)
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        drawn = [rng.random()]
        dist.broadcast_object_list(drawn, src=0)
        if drawn[0] < 0.1:
            dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
