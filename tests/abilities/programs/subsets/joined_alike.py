import torch.distributed as dist
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Subset

from pictures import Pictures, build

dist.init_process_group("gloo")
data = Pictures("train")
mine = list(range(dist.get_rank(), len(data), dist.get_world_size()))
model = DistributedDataParallel(build())
with Join([model]):
    for images in DataLoader(Subset(data, mine), batch_size=8):
        model(images).mean().backward()
