import torch.distributed as dist

dist.init_process_group("nccl")  # expect: DDP401
dist.destroy_process_group()
