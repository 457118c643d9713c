import sys

import torch.distributed as dist

dist.init_process_group("gloo")
mode = sys.argv[1]
if mode == "train":
    if mode == "test" and dist.get_rank() == 0:
        dist.barrier()
dist.destroy_process_group()
