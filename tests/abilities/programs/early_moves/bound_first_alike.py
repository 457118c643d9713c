import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def bind():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))


bind()
net = torch.nn.Linear(3, 1).cuda()
dist.init_process_group("nccl")
net = DistributedDataParallel(net)
bind()
dist.destroy_process_group()
