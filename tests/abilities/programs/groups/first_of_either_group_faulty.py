import json

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def helpers():
    return dist.new_group(backend="gloo") if dist.get_backend() == "nccl" else dist.group.WORLD


dist.init_process_group("gloo")
group = helpers()
if dist.get_rank(group) == 0:
    dist.barrier()  # expect: DDP101
