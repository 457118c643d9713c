import time

import torch.distributed as dist

dist.init_process_group("gloo")
for step in range(3):
    now = time.time()
    dist.broadcast_object_list([now], src=0)
    now = step
    print(now)
dist.destroy_process_group()
