import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


class Trainer:
    def __init__(self, net, device=0):
        torch.cuda.set_device(device)
        self.net = DistributedDataParallel(net.cuda())


dist.init_process_group("nccl", device_id=torch.device("cuda", int(os.environ["LOCAL_RANK"])))
trainer = Trainer(torch.nn.Linear(3, 1), int(os.environ["LOCAL_RANK"]))
trainer.net(torch.randn(3).cuda()).mean().backward()
dist.destroy_process_group()
