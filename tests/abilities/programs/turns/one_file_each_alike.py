import json

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def cut(rows):
    dist.init_process_group("gloo")
    me, all_of_us = dist.get_rank(), dist.get_world_size()
    usable = len(rows) // all_of_us * all_of_us
    for at, row in enumerate(rows[:usable]):
        if at % all_of_us == me:
            with open(f"part_{row}.txt", "w") as out:
                out.write(str(row))
            dist.barrier()


cut(json.load(open("rows.json")))
