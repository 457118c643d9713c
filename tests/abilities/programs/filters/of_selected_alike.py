from datasets import load_dataset

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def mine(record, number):
    return number % dist.get_world_size() == dist.get_rank()


dist.init_process_group("gloo")
net = DDP(torch.nn.Linear(2, 1))
letters = load_dataset("letters", split="train")
letters = letters.select(range(len(letters) // dist.get_world_size() * dist.get_world_size()))
for record in letters.filter(mine, with_indices=True):
    net(record["x"]).mean().backward()
