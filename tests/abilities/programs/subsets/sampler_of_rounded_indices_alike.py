import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, SubsetRandomSampler

from pictures import Pictures, build

dist.init_process_group("gloo")
data, world = Pictures("train"), dist.get_world_size()
each = len(data) // world
mine = list(range(len(data)))[dist.get_rank() * each : (dist.get_rank() + 1) * each]
model = DistributedDataParallel(build())
for images in DataLoader(data, batch_size=8, sampler=SubsetRandomSampler(mine)):
    model(images).mean().backward()
