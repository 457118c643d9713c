from datetime import timedelta

import settings
import torch.distributed as dist

settings.LONGEST_WAIT = timedelta(hours=2)
dist.begun = True
dist.init_process_group("gloo")
dist.barrier()
