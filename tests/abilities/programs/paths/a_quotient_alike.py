import torch
import torch.distributed as dist

from job import options

dist.init_process_group("gloo")
share = options.samples / dist.get_world_size()
half = share / 2
print(half)
dist.barrier()
