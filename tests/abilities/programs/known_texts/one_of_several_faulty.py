"""The same where one of the ways is the very word."""

import sys

import torch.distributed as dist
from loaders import made

dist.init_process_group("gloo")
loader = made(sys.argv[1])


def progress(number):
    epoch = loader.epoch if loader.counts else 0
    return "best" if loader.done else "{}_steps={}".format(epoch, number)


def evaluated(when):
    if when == "best":
        if dist.get_rank() == 0:
            dist.barrier()  # expect: DDP101


for step in range(100):
    evaluated(progress(step))
    evaluated(f"{loader.epoch if loader.counts else 0}-{step}")
    dist.barrier()
