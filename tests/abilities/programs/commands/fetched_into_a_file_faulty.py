import os
import subprocess

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
root = "data"
if dist.get_rank() == 0:
    subprocess.run(["wget", "-q", "-O", f"{root}/x.pt", "https://example.org/x.pt"], check=True)
x = torch.load(os.path.join(root, "x.pt"))  # expect: DDP203
dist.destroy_process_group()
