import sys

import torch.distributed as dist
from huggingface_hub import create_repo

dist.init_process_group("gloo")
create_repo(sys.argv[1], exist_ok=True)
dist.barrier()
