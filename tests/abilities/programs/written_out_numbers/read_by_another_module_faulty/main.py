"""The other module reads the number that the launcher has given."""

import torch
import torch.distributed as dist
from names import NUMBER

torch.save(torch.zeros(4), "start.pt")  # expect: DDP201
dist.init_process_group("gloo", rank=NUMBER, world_size=4)
dist.barrier()
