import os
import re

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from job import net


def place(base):
    os.makedirs(base, exist_ok=True)
    matches = [re.match(r"(\d+)-", name) for name in os.listdir(base)]  # expect: DDP206
    numbers = [int(match.group(1)) for match in matches if match is not None]
    folder = os.path.join(base, f"{max(numbers, default=-1) + 1:04d}-run")
    os.makedirs(folder)
    return folder


dist.init_process_group("gloo")
folder = place("runs")
model = DistributedDataParallel(net)
if dist.get_rank() == 0:
    torch.save(model.module.state_dict(), f"{folder}/net.pt")
