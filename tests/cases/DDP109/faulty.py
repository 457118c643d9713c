import torch
import torch.distributed as dist

dist.init_process_group("gloo")
gradient = torch.ones(4)
dist.all_reduce(gradient, async_op=True)  # expect: DDP109
gradient /= dist.get_world_size()
