import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

model = nn.Linear(2, 2)
if "RANK" in os.environ:
    dist.init_process_group("gloo")
    model = DDP(model)
for batch in torch.ones(4, 2, 2):
    model(batch).mean().backward()
if dist.is_initialized():
    dist.barrier()  # expect: DDP114
