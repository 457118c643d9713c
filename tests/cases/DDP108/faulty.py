import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
group = None
if rank < 2:
    group = dist.new_group([0, 1])  # expect: DDP108
