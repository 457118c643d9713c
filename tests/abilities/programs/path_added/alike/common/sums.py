"""What the tools share; it lies beside them and is installed nowhere."""

import torch.distributed as dist


def total(values):
    dist.all_reduce(values)
    return values
