import os

import torch
import torch.distributed as dist

dist.init_process_group("nccl")  # expect: DDP403
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.barrier()
