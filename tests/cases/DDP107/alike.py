import torch
import torch.distributed as dist

dist.init_process_group("gloo")
weights = torch.zeros(4)
dist.broadcast(weights, src=0)
for root in range(dist.get_world_size()):
    dist.broadcast(weights, src=root)
