import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

where = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl", device_id=where)
net = DistributedDataParallel(torch.nn.Linear(3, 1).to(where))
net(torch.randn(3)).mean().backward()
dist.destroy_process_group()
