"""A helper puts the fields of the time together, to the minute (advice)."""
import os
import time

import torch
import torch.distributed as dist


def name_of_the_run():
    now = time.localtime()
    month = str(now.tm_mon).zfill(2)
    hour = str(now.tm_hour).zfill(2)
    minute = str(now.tm_min).zfill(2)
    return f"{month}-{hour}-{minute}"


dist.init_process_group("gloo")
folder = os.path.join("runs", name_of_the_run())
os.makedirs(folder, exist_ok=True)
if dist.get_rank() == 0:
    torch.save({}, os.path.join(folder, "model.pt"))
dist.barrier()
