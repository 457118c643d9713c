import datetime

import torch.distributed as dist
from torch.distributed import distributed_c10d

distributed_c10d.default_pg_timeout = datetime.timedelta(hours=2)
dist.init_process_group("gloo")
dist.barrier()
