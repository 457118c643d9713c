import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

os.environ["CUDA_VISIBLE_DEVICES"] = os.environ["LOCAL_RANK"]
torch.cuda.set_device(0)
dist.init_process_group("nccl")
net = DistributedDataParallel(torch.nn.Linear(3, 1).cuda())
net(torch.randn(3).cuda()).mean().backward()
dist.destroy_process_group()
