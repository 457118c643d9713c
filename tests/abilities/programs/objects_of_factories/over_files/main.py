import sys

import torch.distributed as dist
from factory import Stores

dist.init_process_group("gloo")
store = Stores.get(sys.argv[1], "out")
dist.barrier()
store.open()
