"""The settings decide for all ranks alike."""

import argparse

import torch.distributed as dist
from settings import options, read_into

parser = argparse.ArgumentParser()
parser.add_argument("--file")
read_into(options, parser.parse_args().file)

dist.init_process_group("gloo")
if not options.DEBUG:
    dist.barrier()
dist.destroy_process_group()
