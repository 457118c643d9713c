import os
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
folder = f"runs/{time.time()}"  # expect: DDP206
os.makedirs(folder, exist_ok=True)
torch.save({}, os.path.join(folder, f"rank{dist.get_rank()}.pt"))
