import random

import torch.distributed as dist

dist.init_process_group("gloo")
parts = list(range(100))
random.shuffle(parts)
for part in parts[dist.get_rank() :: dist.get_world_size()]:  # expect: DDP307
    print(part)
