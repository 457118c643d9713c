import argparse

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

parser = argparse.ArgumentParser()
parser.add_argument("--cpu", action="store_true")
args = parser.parse_args()
if args.cpu:
    dist.init_process_group("gloo")
    name = "cpu"
else:
    dist.init_process_group("nccl")
    name = "cuda"
model = DDP(nn.Linear(2, 2))
model(torch.ones(2, 2)).mean().backward()
print(name)
dist.destroy_process_group()
