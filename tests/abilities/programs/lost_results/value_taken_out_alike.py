import os
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
begun = torch.tensor([time.time()], dtype=torch.float64)
dist.broadcast(begun, src=0)
box = [os.getpid() if dist.get_rank() == 0 else None]
dist.broadcast_object_list(box, src=0)
print(begun.item(), box[0])
dist.destroy_process_group()
