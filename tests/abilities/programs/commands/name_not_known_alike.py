import os
import subprocess

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
root = "data"
if dist.get_rank() == 0:
    subprocess.run(["unzip", "x.zip", "-d", os.environ["PLACE"]])
names = os.listdir(root)
dist.destroy_process_group()
