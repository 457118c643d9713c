from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from job import build, draw, loader, start

dist.init_process_group("gloo", timeout=timedelta(minutes=3))
model = DistributedDataParallel(build())
for epoch in range(20):
    for x in loader:
        model(x).mean().backward()
    if epoch % 5 == 0:
        state = start()
        with torch.no_grad():
            for step in range(1000):
                state = model.module(state)
        draw(state)
    dist.barrier()
