import os

import torch
import torch.distributed as dist

from job import net

dist.init_process_group("gloo")
number = torch.zeros(1, dtype=torch.long)
if dist.get_rank() == 0:
    number[0] = max((int(name) for name in os.listdir("runs")), default=0) + 1
dist.broadcast(number, src=0)
folder = f"runs/{number.item()}"
os.makedirs(folder, exist_ok=True)
if dist.get_rank() == 0:
    torch.save(net.state_dict(), f"{folder}/net.pt")
