"""The same to the minute: ranks rarely start on both sides of one (advice)."""
import os
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
now = time.localtime()
folder = f"runs/{now.tm_mon}{now.tm_mday}-{now.tm_hour}{now.tm_min}"
os.makedirs(folder, exist_ok=True)
if dist.get_rank() == 0:
    torch.save({}, os.path.join(folder, "model.pt"))
dist.barrier()
