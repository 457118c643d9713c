import os

import torch
import torch.distributed as dist

from job import net

dist.init_process_group("gloo")
classes = len(os.listdir("images"))
folder = f"runs/with_{classes}_classes"
os.makedirs(folder, exist_ok=True)
if dist.get_rank() == 0:
    torch.save(net.state_dict(), f"{folder}/net.pt")
