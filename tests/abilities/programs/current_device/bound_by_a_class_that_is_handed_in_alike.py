import os

import torch
import torch.distributed as dist

from settings import read


class OnGpu:
    def __init__(self):
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))


PLACES = {"gpu": OnGpu}


class Job:
    def __init__(self, place):
        PLACES.get(place)()
        dist.init_process_group("nccl", rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))

    def run(self):
        box = [None]
        dist.broadcast_object_list(box, src=0)


Job(read()).run()
