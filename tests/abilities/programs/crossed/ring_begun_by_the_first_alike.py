import torch
import torch.distributed as dist


def shift(part):
    rank, world = dist.get_rank(), dist.get_world_size()
    theirs = torch.empty_like(part)
    if rank == 0:
        dist.send(part, dst=1)
        dist.recv(theirs, src=world - 1)
    else:
        dist.recv(theirs, src=rank - 1)
        dist.send(part, dst=(rank + 1) % world)
    return theirs


dist.init_process_group("gloo")
shift(torch.ones(4))
