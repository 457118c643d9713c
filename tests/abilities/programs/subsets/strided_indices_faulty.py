import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Subset

from pictures import Pictures, build

dist.init_process_group("gloo")
data = Pictures("train")
order = torch.randperm(len(data), generator=torch.Generator().manual_seed(3)).tolist()
kept = order[: int(0.8 * len(order))]
mine = kept[dist.get_rank() :: dist.get_world_size()]
model = DistributedDataParallel(build())
for images, labels in DataLoader(Subset(data, mine), batch_size=1, shuffle=True):
    torch.nn.functional.cross_entropy(model(images), labels).backward()  # expect: DDP106
