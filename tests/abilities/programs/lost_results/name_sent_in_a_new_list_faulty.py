import datetime
import os

import torch.distributed as dist

dist.init_process_group("gloo")
folder = None
if dist.get_rank() == 0:
    folder = datetime.datetime.now().strftime("runs/%H%M%S")
dist.broadcast_object_list([folder], src=0)  # expect: DDP113
print("all in", folder)
dist.destroy_process_group()
