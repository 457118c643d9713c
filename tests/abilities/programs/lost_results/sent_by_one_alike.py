import os

import torch.distributed as dist

dist.init_process_group("gloo")
name = os.getpid()
if dist.get_rank() == 0:
    dist.broadcast_object_list([name], src=0)
    print(name)
else:
    box = [None]
    dist.broadcast_object_list(box, src=0)
    print(box[0])
dist.destroy_process_group()
