import torch
import torch.distributed as dist

dist.init_process_group("gloo")
size = 6
if size % dist.get_world_size():
    if dist.get_rank() == 0:
        print("the batch does not divide")
    raise ValueError("the batch does not divide")
numbers = torch.zeros(size)
dist.all_reduce(numbers)
