import os

import torch
import torch.distributed as dist


def get_rank():
    if dist.is_initialized():
        return dist.get_rank()
    return 0


dist.init_process_group("gloo")
torch.cuda.set_device(dist.get_rank() % torch.cuda.device_count())
print(get_rank(), os.environ["LOCAL_RANK"], (dist.get_rank() + 1) % dist.get_world_size())
options = {"rank": get_rank()}
if "rank" not in options and ("rank", 0) not in options.items():
    print(options)
