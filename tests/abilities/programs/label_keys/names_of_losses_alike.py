import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler

from pictures import Pictures, build

dist.init_process_group("gloo")
data, model = Pictures("train"), build()
sums = {}
for images, targets in DataLoader(data, 8, sampler=DistributedSampler(data)):
    for name, loss in model(images, targets).items():
        sums[name] = sums.get(name, 0.0) + loss.mean().item()
    for name in targets:
        sums[name] = targets[name].sum().item()
for name in sums:
    total = torch.tensor(sums[name])
    dist.all_reduce(total)
    print(name, total.item())
