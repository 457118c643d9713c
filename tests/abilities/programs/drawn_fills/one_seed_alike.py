import random

import torch
import torch.distributed as dist
from parts import net

random.seed(11)
dist.init_process_group("gloo")
terms = {"main": net(torch.ones(4)).sum()}
if random.random() < 0.3:
    terms["smooth"] = net(torch.zeros(4)).sum()
for name in terms:
    dist.all_reduce(terms[name])
