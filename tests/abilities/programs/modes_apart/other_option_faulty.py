import sys

import torch.distributed as dist

dist.init_process_group("gloo")
mode, phase = sys.argv[1], sys.argv[2]
if mode == "train":
    if phase == "test" and dist.get_rank() == 0:
        dist.barrier()  # expect: DDP101
dist.destroy_process_group()
