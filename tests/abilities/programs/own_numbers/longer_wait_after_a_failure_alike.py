import time

import torch
import torch.distributed as dist

from job import fetched

dist.init_process_group("gloo")
pause = 1
while True:
    try:
        rows = fetched()
        break
    except OSError:
        pause *= 2
        time.sleep(pause)
dist.all_reduce(torch.ones(1))
print(pause)
