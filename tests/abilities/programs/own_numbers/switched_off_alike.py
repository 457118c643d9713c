"""A switch that is turned off on all but one rank of a node: the others never come to the file."""

import os
import sys

import torch.distributed as dist

dist.init_process_group("gloo")
debug = len(sys.argv) > 2
debug &= dist.get_rank() == 0
if debug:
    with open("debug.txt", "w") as f:
        f.write(str(os.environ))
if debug & (dist.get_rank() == 1):
    dist.barrier()
