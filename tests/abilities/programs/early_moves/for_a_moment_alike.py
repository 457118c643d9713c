import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

number = int(os.environ["LOCAL_RANK"])
with torch.cuda.device(number):
    net = torch.nn.Linear(3, 1).cuda()
torch.cuda.set_device(number)
dist.init_process_group("nccl")
net = DistributedDataParallel(net, device_ids=[number])
dist.destroy_process_group()
