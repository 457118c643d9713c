import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler

from pictures import Pictures

dist.init_process_group("gloo")
data = Pictures("valid")
seen = {}
for images, labels in DataLoader(data, 8, sampler=DistributedSampler(data)):
    for label in labels.tolist():
        try:
            seen[label] += 1
        except KeyError:
            seen[label] = torch.ones(1)
for label in seen:
    dist.all_reduce(seen[label])  # expect: DDP106
