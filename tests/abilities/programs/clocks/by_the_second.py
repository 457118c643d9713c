"""A folder named by the fields of the time, seconds among them: ranks that start apart make two."""
import os
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
now = time.localtime()  # expect: DDP206
folder = f"runs/{now.tm_mon}{now.tm_mday}-{now.tm_hour}{now.tm_min}{now.tm_sec}"
os.makedirs(folder, exist_ok=True)
if dist.get_rank() == 0:
    torch.save({}, os.path.join(folder, "model.pt"))
dist.barrier()
