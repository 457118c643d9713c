import os
import sys

import torch
import torch.distributed as dist


def begin(folder):
    if os.path.exists(folder) and "--again" not in sys.argv:
        raise FileExistsError(folder)
    os.makedirs(folder, exist_ok=True)  # expect: DDP205
dist.init_process_group("gloo")
begin(sys.argv[1])
dist.all_reduce(torch.ones(1))
