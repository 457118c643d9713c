import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

alone = "RANK" not in os.environ
net = torch.nn.Linear(3, 1)
if alone:
    net = net.cuda()
else:
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    net = DistributedDataParallel(net.cuda())
    dist.destroy_process_group()
