from datasets import load_dataset

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


dist.init_process_group("gloo")
net = DDP(torch.nn.Linear(2, 1))
for record in load_dataset("letters", split="train").filter(lambda record: len(record["x"]) > 2):
    net(record["x"]).mean().backward()
