import torch
import torch.distributed as dist

from job import options

dist.init_process_group("gloo")
at, lines = 0, 0
while at < options.rounds:
    loss = torch.ones(1)
    dist.all_reduce(loss)
    if dist.get_rank() == 0:
        if loss.item() < options.enough:
            lines += 1
            print(lines)
    at += 1
