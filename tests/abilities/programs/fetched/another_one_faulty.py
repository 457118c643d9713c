import torch
import torch.distributed as dist

dist.init_process_group("gloo")
backbone = torch.hub.load("facebookresearch/xcit:main", "small")  # expect: DDP201
teacher = torch.hub.load("facebookresearch/dinov2", "large")  # expect: DDP201
total = torch.ones(1)
dist.all_reduce(total)
backbone(teacher(total))
