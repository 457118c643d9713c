"""The first rank makes more rounds than the others, and every round reduces."""

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rounds = 100 if dist.get_rank() == 0 else 90
for _ in range(rounds):
    seen = torch.ones(1)
    dist.all_reduce(seen)  # expect: DDP106
dist.destroy_process_group()
