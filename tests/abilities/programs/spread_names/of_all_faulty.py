"""The parts are those of an argument, the same for all."""

import os
import sys

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
parts = sys.argv[1].split("/")
torch.save(torch.zeros(8), os.path.join("run", *parts[-3:]))  # expect: DDP201
