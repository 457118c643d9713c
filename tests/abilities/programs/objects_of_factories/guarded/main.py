import sys

import torch.distributed as dist
from factory import Stores

dist.init_process_group("gloo")
store = Stores.get(sys.argv[1], "out")
if dist.get_rank() == 0:
    store.open()
dist.barrier()
