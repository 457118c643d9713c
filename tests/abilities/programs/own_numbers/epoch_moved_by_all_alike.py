import torch
import torch.distributed as dist

from job import options

dist.init_process_group("gloo")
at = 0
while at < options.rounds:
    loss = torch.ones(1)
    dist.all_reduce(loss)
    if loss.item() < options.enough:
        at = options.last
    at += 1
