import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, theirs = dist.get_rank(), torch.empty(4)
if rank < 2:
    dist.recv(theirs, src=1 - rank)  # expect: DDP103
    dist.send(torch.ones(4), dst=1 - rank)
dist.destroy_process_group()
