import torch
import torch.distributed as dist

dist.init_process_group("gloo")
theirs = torch.empty(4)
if dist.get_rank() == 0:
    dist.send(torch.ones(4), 1)
    dist.recv(theirs, src=1)
elif dist.get_rank() == 1:
    dist.recv(theirs, src=0)
    dist.send(torch.ones(4), 0)
