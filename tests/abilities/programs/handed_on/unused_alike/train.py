import torch
import torch.distributed as dist
import shown

dist.init_process_group("gloo")
table = [1]
print(shown)
dist.all_reduce(torch.tensor(table))
