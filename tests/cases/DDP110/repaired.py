import torch
import torch.distributed as dist

dist.init_process_group("gloo")
size = 6
if size % dist.get_world_size():
    raise ValueError("the batch does not divide")  # expect: DDP110
numbers = torch.zeros(size)
dist.all_reduce(numbers)
