import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
sizes = [8, 8, 8, 8]
total = torch.zeros(1)
for i in range(rank, 4, world):
    total += sizes[i]
dist.all_reduce(total)
