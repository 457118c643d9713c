import signal

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
signal.alarm(60)
numbers = torch.zeros(4)
signal.alarm(0)
dist.all_reduce(numbers)
