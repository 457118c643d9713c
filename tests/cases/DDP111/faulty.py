import torch
import torch.distributed as dist

from torch.utils.data import DataLoader, DistributedSampler

dist.init_process_group("gloo")
data = torch.randn(16, 4)
for scores in DataLoader(data, sampler=DistributedSampler(data, shuffle=False)):
    kept = scores[scores > 0]
    parts = [torch.empty_like(kept) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, kept)  # expect: DDP111
