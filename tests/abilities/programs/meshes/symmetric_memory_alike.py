"""Symmetric memory is established by all ranks of a group together."""

import os
from datetime import timedelta

import torch
import torch.distributed as dist
import torch.distributed._symmetric_memory as symm_mem

torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl", timeout=timedelta(minutes=5))
buffer = symm_mem.empty(1024, device="cuda")
handle = symm_mem.rendezvous(buffer, dist.group.WORLD)
if dist.get_rank() == 0:
    print(handle)
dist.destroy_process_group()
