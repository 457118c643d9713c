import os

import torch
import torch.distributed as dist

from job import net

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    folder = f"runs/{len(os.listdir('runs'))}"
    os.makedirs(folder)
    torch.save(net.state_dict(), f"{folder}/net.pt")
dist.barrier()
