import pickle

import torch.distributed as dist

dist.init_process_group("gloo")
try:
    seen = pickle.load(open("seen.pkl", "rb"))
except OSError:
    seen = set()
    if dist.get_rank() == 0:
        dist.barrier()  # expect: DDP101
print(seen)
