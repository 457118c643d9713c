import psutil
import torch
import torch.distributed as dist

from job import build, loader

dist.init_process_group("gloo")
model = build()
for x in loader:
    model(x).mean().backward()
    used = torch.tensor(psutil.virtual_memory().percent)
    dist.all_reduce(used, op=dist.ReduceOp.MAX)
    if used.item() > 90:
        dist.barrier()
        break
