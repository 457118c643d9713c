import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from job import net

dist.init_process_group("gloo")
numbers = []
for name in os.listdir("runs"):
    numbers.append(int(name[5:]))
folder = os.path.join("runs", f"trial{max(numbers)}")
model = DistributedDataParallel(net)
os.makedirs(os.path.join(folder, "more"), exist_ok=True)
torch.save(model.module.state_dict(), os.path.join(folder, "more", f"net{dist.get_rank()}.pt"))
