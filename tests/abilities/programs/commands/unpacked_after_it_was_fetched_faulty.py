import os

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
root = "data"
if dist.get_rank() == 0:
    os.system(f"wget https://example.org/x.zip && unzip -q x.zip -d {root}")
x = torch.load(os.path.join(root, "x.pt"))  # expect: DDP203
dist.destroy_process_group()
