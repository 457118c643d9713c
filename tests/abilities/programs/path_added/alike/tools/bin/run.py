"""A tool that finds the modules it shares with others over a folder that it adds to the path."""

import os
import sys

import torch
import torch.distributed as dist

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "common"))

from sums import total


def main():
    dist.init_process_group("gloo")
    values = torch.ones(2)
    found = total(values)
    if dist.get_rank() == 0:
        print(found)


main()
