"""The list that the parts stand in is the same for all."""

import sys
from pathlib import Path

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
parts = ["run", *sys.argv[1].split("/")]
torch.save(torch.zeros(8), Path(*parts, "last.pt"))  # expect: DDP201
