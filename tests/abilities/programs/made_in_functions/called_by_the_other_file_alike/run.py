"""Runs the steps on the ranks that they are for."""

import torch.distributed as dist

from steps import steps

dist.init_process_group("gloo")
first, other = steps()
first()
if dist.get_rank() == 0:
    other()
dist.destroy_process_group()
