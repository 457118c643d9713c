from datetime import timedelta

import torch.distributed as dist

dist.distributed_c10d._DEFAULT_PG_TIMEOUT = timedelta(hours=2)  # expect: DDP405
dist.init_process_group("gloo")
dist.barrier()
