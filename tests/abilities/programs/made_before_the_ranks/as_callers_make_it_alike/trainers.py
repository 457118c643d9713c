"""Nobody calls one of the methods: the object to call it on is made as callers have made one, where the folder is."""

import os

import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


class Base:
    def __init__(self, model, folder):
        self.model = model
        if not os.path.exists(folder):
            os.makedirs(folder)
        self.folder = folder

    def meet(self):
        dist.barrier()


class Parallel(Base):
    def __init__(self, model, folder):
        super().__init__(model, folder)
        self.model = DDP(model)

    def fit(self):
        self.model(batch()).sum().backward()


class Sharded(Base):
    def __init__(self, model, folder):
        super().__init__(model, folder)

    def fit(self):
        dist.all_reduce(self.model(batch()))
