"""The news: all ranks count together."""

import torch
import torch.distributed as dist


def total(lines):
    counted = torch.tensor([len(lines)])
    dist.all_reduce(counted)
    return int(counted)
