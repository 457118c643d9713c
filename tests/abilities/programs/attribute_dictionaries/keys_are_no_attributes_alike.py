from collections import OrderedDict

import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
made = OrderedDict(items=DistributedDataParallel(nn.Linear(3, 3)))
if dist.get_rank() == 0:
    for name, value in made.items():
        print(name, value)
dist.barrier()
