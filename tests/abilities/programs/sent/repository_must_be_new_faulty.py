import sys

import torch.distributed as dist
from huggingface_hub import create_repo

dist.init_process_group("gloo")
create_repo(sys.argv[1], private=True)  # expect: DDP201
dist.barrier()
