import torch
import torch.distributed as dist
from shown import counted

dist.init_process_group("gloo")
dist.all_reduce(torch.tensor(len(counted(["a", "b"]))))
