import torch
import torch.distributed as dist

dist.init_process_group("gloo")
numbers = torch.zeros(4)
if dist.get_rank() == 0:
    dist.all_reduce(numbers)  # expect: DDP103
    dist.barrier()
else:
    dist.barrier()
    dist.all_reduce(numbers)
