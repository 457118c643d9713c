import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

parser = argparse.ArgumentParser()
parser.add_argument("--run", default="alone")
args = parser.parse_args()
if args.run == "together":
    dist.init_process_group("gloo")
    number = int(os.environ["LOCAL_RANK"])
else:
    number = 0
model = nn.Linear(2, 2)
if args.run == "together":
    model = DDP(model)
for epoch in range(3):
    model(torch.ones(2, 2)).mean().backward()
if args.run == "together":
    dist.barrier()
print(number)
