import torch
import torch.distributed as dist
from shown import prepared

dist.init_process_group("gloo")
table = None
if dist.get_rank() == 0:
    prepared("data")
dist.barrier()
table = torch.ones(3)
dist.all_reduce(table)
