import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from job import net

dist.init_process_group("gloo")
taken = [int(name.rpartition("_")[2]) for name in os.listdir("runs")]  # expect: DDP206
folder = os.path.join("runs", f"trial_{max(taken, default=0) + 1}")
os.makedirs(folder, exist_ok=True)
model = DistributedDataParallel(net)
if dist.get_rank() == 0:
    torch.save(model.module.state_dict(), os.path.join(folder, "net.pt"))
