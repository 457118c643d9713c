import os
import subprocess

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
root = "data"
if dist.get_rank() == 0:
    subprocess.run(["huggingface-cli", "download", "a/b", "--local-dir=data"])
names = os.listdir(root)  # expect: DDP203
dist.destroy_process_group()
