"""The version is asked for by number and by name."""

import sys

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
if sys.version_info[0] == 2:
    torch.save(torch.zeros(4), sys.argv[1])
if sys.version_info.major < 3:
    torch.save(torch.zeros(4), sys.argv[2])
