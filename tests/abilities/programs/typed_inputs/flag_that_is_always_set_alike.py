"""A flag that sets what is set already is always set."""

import argparse

import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--all-wait", action="store_true", default=True)
options = parser.parse_args()
dist.init_process_group("gloo")
if options.all_wait or dist.get_rank() == 0:
    dist.barrier()
dist.destroy_process_group()
