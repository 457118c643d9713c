from datasets import load_dataset

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def mine(record, number):
    return number % dist.get_world_size() == dist.get_rank()


dist.init_process_group("gloo")
net = DDP(torch.nn.Linear(2, 1))
for record in load_dataset("letters", split="train").filter(mine, with_indices=True):
    net(record["x"]).mean().backward()  # expect: DDP106
