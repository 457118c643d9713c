import json

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo")
try:
    options = json.load(open("options.json"))
except FileNotFoundError:
    options = {"epochs": 3}
net = DDP(torch.nn.Linear(3, 1))
for _ in range(options["epochs"]):
    net(torch.randn(3)).mean().backward()
if "name" in options:
    dist.barrier()
