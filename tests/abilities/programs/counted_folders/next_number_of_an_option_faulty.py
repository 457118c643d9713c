import os

import torch
import torch.distributed as dist

from job import net, options

dist.init_process_group("gloo")
folder = f"{options.root}/run{len(os.listdir(options.root))}"  # expect: DDP206
os.makedirs(folder, exist_ok=True)
if dist.get_rank() == 0:
    torch.save(net.state_dict(), f"{folder}/net.pt")
