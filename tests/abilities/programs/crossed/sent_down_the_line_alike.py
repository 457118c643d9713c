import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
part = torch.ones(4)
if rank + 1 < world:
    dist.send(part, dst=rank + 1)
if rank > 0:
    dist.recv(part, src=rank - 1)
