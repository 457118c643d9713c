import torch
import torch.distributed as dist

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    torch.hub.load("facebookresearch/dinov2", "dinov2_vits14")
dist.barrier()
backbone = torch.hub.load("facebookresearch/dinov2", "dinov2_vits14", source="local")
total = torch.ones(1)
dist.all_reduce(total)
backbone(total)
