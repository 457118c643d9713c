"""The group is asked for by a helper that fails where it was not made: no rank comes to the operation."""
import torch
import torch.distributed as dist

_GROUP = None


def group():
    assert _GROUP is not None, "make it first"
    return _GROUP


def total(x):
    dist.all_reduce(x, group=group())
    return x


dist.init_process_group("gloo")
flags = torch.ones(1)
if dist.get_rank() == 0:
    flags = total(flags)
dist.broadcast(flags, 0)
