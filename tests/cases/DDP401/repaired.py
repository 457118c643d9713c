from datetime import timedelta

import torch.distributed as dist

dist.init_process_group("nccl", timeout=timedelta(minutes=30))  # expect: DDP401
dist.destroy_process_group()
