import torch
import torch.distributed as dist

dist.init_process_group("gloo")
numbers = torch.zeros(4)
if dist.get_rank() == 0:
    numbers += 1
    dist.all_reduce(numbers)
    dist.barrier()
else:
    dist.all_reduce(numbers)
    print("reduced")
    dist.barrier()
