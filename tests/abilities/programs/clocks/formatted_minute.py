"""A folder named by the minute in a format (advice)."""
import os
from datetime import datetime

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
folder = os.path.join("runs", datetime.now().strftime("%Y-%m-%d_%H-%M"))
os.makedirs(folder, exist_ok=True)
if dist.get_rank() == 0:
    torch.save({}, os.path.join(folder, "model.pt"))
dist.barrier()
