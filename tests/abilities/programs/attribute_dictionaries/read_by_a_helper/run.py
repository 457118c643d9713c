"""A helper that nobody has to walk reads a file into the settings: what they said before are defaults."""

import argparse

import torch.distributed as dist
from settings import options, read_into

parser = argparse.ArgumentParser()
parser.add_argument("--file")
read_into(options, parser.parse_args().file)

dist.init_process_group("gloo")
if not options.DEBUG and dist.get_rank() == 0:
    dist.barrier()  # expect: DDP101
dist.destroy_process_group()
