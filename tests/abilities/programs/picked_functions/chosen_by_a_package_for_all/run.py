"""The package decides which of its modules the helper comes from; all ranks call it."""

import torch.distributed as dist
from storage import flush

dist.init_process_group("gloo")
parts = flush([dist.get_rank()])
if dist.get_rank() == 1:
    print(parts)
dist.destroy_process_group()
