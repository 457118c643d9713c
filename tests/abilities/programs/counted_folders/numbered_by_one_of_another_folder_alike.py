import os

import torch
import torch.distributed as dist

from job import net

dist.init_process_group("gloo")
parts = [int(name[4:]) for name in os.listdir("parts")]
folder = f"out/of_{max(parts) + 1}"
os.makedirs(folder, exist_ok=True)
dist.barrier()
if dist.get_rank() == 0:
    torch.save(net.state_dict(), f"{folder}/net.pt")
