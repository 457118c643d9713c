import torch
import torch.distributed as dist

dist.init_process_group("gloo")
known = torch.hub.list("facebookresearch/xcit:main")  # expect: DDP201
backbone = torch.hub.load("facebookresearch/xcit:main", known[0])
teacher = torch.hub.load("facebookresearch/xcit:main", known[0])
total = torch.ones(1)
dist.all_reduce(total)
backbone(teacher(total))
