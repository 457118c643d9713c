from datetime import timedelta

import torch.distributed as dist

dist.init_process_group("nccl", timeout=timedelta(seconds=1800))  # expect: DDP404
dist.destroy_process_group()
