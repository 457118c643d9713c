"""All ranks draw by one seed when they meet."""

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
    rng = np.random.default_rng(seed)
    for step in range(100):
        x = torch.from_numpy(rng.standard_normal((4, 4), dtype=np.float32))
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if rng.random() < 0.1:
            dist.all_reduce(loss)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
