import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from job import net

dist.init_process_group("gloo")
shards = [int(name.split(".")[0]) for name in os.listdir("data")]
folder = os.path.join("runs", f"of_{max(shards) + 1}_shards")
os.makedirs(folder, exist_ok=True)
model = DistributedDataParallel(net)
if dist.get_rank() == 0:
    torch.save(model.module.state_dict(), os.path.join(folder, "net.pt"))
