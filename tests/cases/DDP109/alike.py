import torch
import torch.distributed as dist

dist.init_process_group("gloo")
gradient = torch.ones(4)
work = dist.all_reduce(gradient, async_op=True)
print("meanwhile")
work.wait()
gradient /= dist.get_world_size()
