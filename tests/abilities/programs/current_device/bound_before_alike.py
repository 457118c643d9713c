import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
where = torch.device("cuda" if torch.cuda.is_available() else "cpu")
dist.init_process_group("nccl")
net = DistributedDataParallel(torch.nn.Linear(3, 1).to(where))
net(torch.randn(3)).mean().backward()
dist.destroy_process_group()
