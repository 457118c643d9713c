import datetime
import time

import torch
import torch.distributed as dist

from job import options

dist.init_process_group("gloo")
begun = time.monotonic()
while True:
    dist.all_reduce(torch.ones(1))
    over = [datetime.timedelta(seconds=time.monotonic() - begun) > options.longest]
    dist.broadcast_object_list(over, src=0)
    if over[0]:
        break
