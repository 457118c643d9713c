import os

import torch
import torch.distributed as dist
from torch.utils.data import DistributedSampler

dist.init_process_group("gloo")
data = torch.randn(10, 1)
sampler = DistributedSampler(data, dist.get_world_size(), int(os.environ["LOCAL_RANK"]), drop_last=True)  # expect: DDP304
print(list(sampler))
