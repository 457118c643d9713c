import os

import torch.distributed as dist

dist.init_process_group("gloo")
os.makedirs("runs", exist_ok=True)
if dist.get_rank() == 0 and not os.path.exists("plots"):
    os.makedirs("plots")
