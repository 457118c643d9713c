import os

import torch.distributed as dist

dist.init_process_group("gloo")
with open(os.path.join("out", ".gitattributes"), "r+") as file:  # expect: DDP201
    known = file.read()
    if "*.csv" not in known:
        file.write("*.csv filter=lfs")
dist.barrier()
