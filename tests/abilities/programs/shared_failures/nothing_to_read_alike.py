import json

import torch.distributed as dist

dist.init_process_group("gloo")
try:
    from fast import table
except ImportError:
    table = {}
    if dist.get_rank() == 0:
        dist.barrier()
print(table)
dist.destroy_process_group()
