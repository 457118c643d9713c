"""The number is written out: this process is the first, and the others run another program."""

import argparse

import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--number", type=int, default=0)
parser.add_argument("--numbers", type=int, nargs="+")
parser.add_argument("--count", type=int, default=2)
args = parser.parse_args()
dist.init_process_group("gloo", rank=0, world_size=args.count)
torch.save(torch.zeros(4), "start.pt")
dist.barrier()
