import os

import torch
import torch.distributed as dist
from filelock import FileLock

dist.init_process_group("gloo")
place = f"start{dist.get_rank()}.pt"
if not os.path.exists(place):
    with FileLock(place + ".lock"):
        torch.save({}, place)
print(torch.load(place))
dist.destroy_process_group()
