import torch.distributed as dist
from factory import Stores

dist.init_process_group("gloo")
store = Stores.get("memory", "out")
dist.barrier()
store.open()
