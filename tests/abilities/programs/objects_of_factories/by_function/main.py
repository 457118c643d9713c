import torch.distributed as dist
from factory import make_store

dist.init_process_group("gloo")
store = make_store("out")
dist.barrier()
store.open()
