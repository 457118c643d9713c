import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world, theirs = dist.get_rank(), dist.get_world_size(), torch.empty(4)
coming = dist.irecv(theirs, src=(rank - 1) % world)
dist.send(torch.ones(4), dst=(rank + 1) % world)
coming.wait()
