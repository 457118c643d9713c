import json

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


dist.init_process_group("gloo")
net = DDP(torch.nn.Linear(2, 1))
rows = json.load(open("rows.json"))
for _, row in filter(lambda pair: pair[0] % dist.get_world_size() == dist.get_rank(), enumerate(rows)):
    net(row).mean().backward()  # expect: DDP106
