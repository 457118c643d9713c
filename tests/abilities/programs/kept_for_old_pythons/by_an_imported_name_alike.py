"""A name that was imported by itself."""

import sys

import torch
import torch.distributed as dist
from six import PY2

dist.init_process_group("gloo")
if PY2:
    torch.save(torch.zeros(4), sys.argv[1])
