"""What comes before the group of one process is done by one, too."""

import os

import torch
import torch.distributed as dist

if not os.path.exists("converted"):
    os.mkdir("converted")
open("converted/log.txt", "w").write("converting")
dist.init_process_group("gloo", world_size=1, rank=0, init_method="tcp://127.0.0.1:16666")
torch.save(torch.nn.Linear(2, 2).state_dict(), "converted/output.pt")
