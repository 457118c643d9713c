"""The place in the list is a constant of another module."""

import argparse

import torch
import torch.distributed as dist
from names import SINGLE

parser = argparse.ArgumentParser()
parser.add_argument("--machines", type=int, default=2)
trainers = []
for number in range(parser.parse_args().machines):
    trainers.append(2 * number)
torch.save(torch.zeros(4), "start.pt")
dist.init_process_group("gloo", rank=trainers[SINGLE], world_size=4)
dist.barrier()
