import torch
import torch.distributed as dist

from job import options

dist.init_process_group("gloo")
at = 0
while at < options.rounds:
    loss = torch.ones(1)
    dist.all_reduce(loss)  # expect: DDP101
    if dist.get_rank() == 0:
        if loss.item() < options.enough:
            at = options.last
    at += 1
