import random

import torch
import torch.distributed as dist
from parts import net

dist.init_process_group("gloo")
terms = {"main": net(torch.ones(4)).sum(), "smooth": torch.zeros(())}
if random.random() < 0.3:
    terms["smooth"] = net(torch.zeros(4)).sum()
for name in terms:
    dist.all_reduce(terms[name])
