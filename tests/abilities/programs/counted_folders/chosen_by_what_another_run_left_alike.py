import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from job import net

dist.init_process_group("gloo")
folder = "runs/first"
if os.path.exists("cache/features.pt"):
    folder = "runs/with_features"
os.makedirs(folder, exist_ok=True)
model = DistributedDataParallel(net)
if dist.get_rank() == 0:
    torch.save(model.module.state_dict(), os.path.join(folder, "net.pt"))
dist.barrier()
print(torch.load(os.path.join(folder, "net.pt"), map_location="cpu"))
