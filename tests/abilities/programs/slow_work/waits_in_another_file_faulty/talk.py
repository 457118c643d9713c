import torch
import torch.distributed as dist


def all_are(flag):
    held = torch.tensor([flag], dtype=torch.int)
    dist.all_reduce(held, op=dist.ReduceOp.MIN)
    return bool(held[0])
