"""A name that is put together on one way or another is none of the words it is held against."""

import sys

import torch.distributed as dist
from loaders import made

dist.init_process_group("gloo")
loader = made(sys.argv[1])


def progress(number):
    epoch = loader.epoch if loader.counts else 0
    return "{}_steps={}".format(epoch, number)


def evaluated(when):
    if when == "best":
        if dist.get_rank() == 0:
            dist.barrier()


for step in range(100):
    evaluated(progress(step))
    evaluated(f"{loader.epoch if loader.counts else 0}-{step}")
    dist.barrier()
