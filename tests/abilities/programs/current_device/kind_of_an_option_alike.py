import os
import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group()
device = torch.device(f"{sys.argv[1]}:{int(os.environ["LOCAL_RANK"])}")
net = DDP(torch.nn.Linear(4, 4).to(device))
dist.destroy_process_group()
