import numpy as np
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
checks = [torch.ones(1)]
if np.random.rand() > 0.9:
    checks.append(torch.zeros(1))
    checks.append(torch.zeros(1))
for check in checks:
    dist.all_reduce(check)  # expect: DDP106
