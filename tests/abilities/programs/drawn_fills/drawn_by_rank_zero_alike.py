import random

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
drawn = [random.random() if dist.get_rank() == 0 else None]
dist.broadcast_object_list(drawn, src=0)
checks = [torch.ones(1)]
if drawn[0] < 0.3:
    checks.append(torch.zeros(1))
for check in checks:
    dist.all_reduce(check)
