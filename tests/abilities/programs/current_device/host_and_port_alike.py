import sys

import torch.distributed as dist

dist.init_process_group("gloo")
place = f"{sys.argv[1]}:{dist.get_rank()}"
print("listening at", place)
