"""A trainer whose gradients a helper looks after."""

import torch
import torch.distributed as dist

from hooks import register

dist.init_process_group("gloo")
net = torch.nn.Linear(4, 4)
register(net)
net(torch.ones(4)).sum().backward()
dist.destroy_process_group()
