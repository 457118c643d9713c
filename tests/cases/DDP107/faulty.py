import torch
import torch.distributed as dist

dist.init_process_group("gloo")
weights = torch.zeros(4)
dist.broadcast(weights, src=dist.get_rank())  # expect: DDP107
