import os

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
names = sorted(os.listdir("parts"))
for name in names[dist.get_rank() :: dist.get_world_size()]:
    total = torch.tensor([float(len(name))])
    dist.all_reduce(total)  # expect: DDP106
