import os

import torch.distributed as dist

dist.init_process_group("gloo")
if not os.path.exists("runs"):
    os.makedirs("runs")  # expect: DDP205
