import os

import torch.distributed as dist

dist.init_process_group("nccl")
os.environ["TORCH_NCCL_BLOCKING_WAIT"] = "0"  # expect: DDP504
dist.destroy_process_group()
