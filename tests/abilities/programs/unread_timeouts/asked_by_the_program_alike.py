from datetime import timedelta

import torch.distributed as dist

dist.longest_wait = timedelta(hours=2)
dist.init_process_group("gloo", timeout=dist.longest_wait)
dist.barrier()
