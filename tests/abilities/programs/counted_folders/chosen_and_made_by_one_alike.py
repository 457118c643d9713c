import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from job import net

dist.init_process_group("gloo")
start = "none"
if os.path.exists("runs/last/net.pt"):
    start = "runs/last/net.pt"
dist.barrier()
model = DistributedDataParallel(net)
if start != "none":
    model.module.load_state_dict(torch.load(start, map_location="cpu"))
if dist.get_rank() == 0:
    os.makedirs("runs/last", exist_ok=True)
    torch.save(model.module.state_dict(), "runs/last/net.pt")
