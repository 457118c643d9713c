import os

import torch
import torch.distributed as dist

number = os.environ["LOCAL_RANK"]
os.environ["CUDA_VISIBLE_DEVICES"] = number
net = torch.nn.Linear(3, 1).cuda()
torch.cuda.set_device(0)
dist.init_process_group("nccl")
dist.broadcast(next(net.parameters()).data, src=0)
dist.destroy_process_group()
