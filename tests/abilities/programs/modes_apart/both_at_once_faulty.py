import sys

import torch.distributed as dist

dist.init_process_group("gloo")
mode = sys.argv[1]
if mode == "train":
    if mode == "train" and dist.get_rank() == 0:
        dist.barrier()  # expect: DDP101
dist.destroy_process_group()
