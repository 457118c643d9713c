import sys

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
part = torch.ones(4)
if sys.argv[1] == "up":
    if dist.get_rank() == 1:
        dist.recv(part, src=0)
    elif dist.get_rank() == 0:
        dist.send(part, dst=1)
elif dist.get_rank() == 0:
    dist.recv(part, src=1)
elif dist.get_rank() == 1:
    dist.send(part, dst=0)
