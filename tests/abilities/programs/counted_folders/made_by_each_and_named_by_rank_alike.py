import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from job import net

dist.init_process_group("gloo")
base = f"runs/rank{dist.get_rank()}"
os.makedirs(base, exist_ok=True)
numbers = [int(name) for name in os.listdir(base)]
folder = os.path.join(base, str(max(numbers, default=0) + 1))
os.makedirs(folder)
model = DistributedDataParallel(net)
torch.save(model.module.state_dict(), os.path.join(folder, "net.pt"))
