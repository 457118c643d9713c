import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, SubsetRandomSampler

from pictures import Pictures, build

dist.init_process_group("gloo")
data = Pictures("train")
mine = list(range(len(data)))[dist.get_rank() :: dist.get_world_size()]
model = DistributedDataParallel(build())
for images in DataLoader(data, batch_size=8, sampler=SubsetRandomSampler(mine)):
    model(images).mean().backward()  # expect: DDP106
