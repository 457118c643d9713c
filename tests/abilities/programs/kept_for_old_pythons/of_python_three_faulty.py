"""These run."""

import sys

import six
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
if six.PY3:
    torch.save(torch.zeros(4), sys.argv[1])  # expect: DDP201
if sys.version_info[0] >= 3:
    torch.save(torch.zeros(4), sys.argv[2])  # expect: DDP201
if sys.version_info[1] >= 12:
    torch.save(torch.zeros(4), sys.argv[3])  # expect: DDP201
