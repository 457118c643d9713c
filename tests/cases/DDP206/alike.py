import os
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
name = [time.strftime("%Y-%m-%d")]
dist.broadcast_object_list(name, src=0)
folder = os.path.join("runs", name[0])
if dist.get_rank() == 0:
    os.makedirs(folder, exist_ok=True)
dist.barrier()
torch.save({}, os.path.join(folder, f"rank{dist.get_rank()}.pt"))
