import argparse

import torch
import torch.distributed as dist
from cluster import join
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

parser = argparse.ArgumentParser()
parser.add_argument("--by-hand", action="store_true")
args = parser.parse_args()
if args.by_hand:
    dist.init_process_group("gloo")
    rank = dist.get_rank()
else:
    rank = join()
model = DDP(nn.Linear(2, 2))
model(torch.ones(2, 2)).mean().backward()
print(rank)
dist.destroy_process_group()
