import os

import torch
import torch.distributed as dist


class Job:
    def __init__(self):
        dist.init_process_group("nccl", rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))


class Evaluates(Job):
    def run(self):
        box = [None]
        dist.broadcast_object_list(box, src=0)  # expect: DDP403


class Trains(Job):
    def run(self):
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        box = [None]
        dist.broadcast_object_list(box, src=0)
