import os

import torch
import torch.distributed as dist
from filelock import FileLock

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    if not os.path.exists("start.pt"):
        with FileLock("start.lock"):
            torch.save({}, "start.pt")
dist.barrier()
print(torch.load("start.pt"))
dist.destroy_process_group()
