"""A flag that takes away what is not there is never set: rank 0 waits alone."""

import argparse

import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--all-wait", action="store_false", default=False)
options = parser.parse_args()
dist.init_process_group("gloo")
if options.all_wait or dist.get_rank() == 0:
    dist.barrier()  # expect: DDP101
dist.destroy_process_group()
