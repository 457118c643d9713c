"""The parts of a name that nobody can count differ between the ranks, wherever they are put in."""

import os
from pathlib import Path

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
parts = f"{dist.get_rank()}/logs/last".split("/")
state = torch.zeros(8)
torch.save(state, os.path.join("run", *parts[0:2], "a.pt"))
torch.save(state, os.path.join(*parts))
torch.save(state, Path("run", *parts))
torch.save(state, Path("run").joinpath(*parts))
