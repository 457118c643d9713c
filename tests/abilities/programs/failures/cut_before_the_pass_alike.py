import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from job import build, crop, loader, optimizer

dist.init_process_group("gloo")
model = DistributedDataParallel(build())
for batch in loader:
    optimizer.zero_grad()
    try:
        batch = crop(batch)
    except RuntimeError:
        batch = batch[:1]
    model(batch).mean().backward()
    optimizer.step()
