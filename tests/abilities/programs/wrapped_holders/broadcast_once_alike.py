import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from job import images, net

dist.init_process_group("gloo")
parts = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 1)])
parts = DistributedDataParallel(parts).module
for image in images():
    with torch.no_grad():
        print(net(image, parts))
dist.barrier()
