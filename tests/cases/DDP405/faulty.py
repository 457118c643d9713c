import signal

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
numbers = torch.zeros(4)
signal.alarm(60)  # expect: DDP405
dist.all_reduce(numbers)
signal.alarm(0)
