import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Trainer:
    def __init__(self):
        self.tasks = int(os.getenv("SLURM_NTASKS", "1"))
        self.model = nn.Linear(2, 2)
        if self.tasks > 1:
            dist.init_process_group("gloo")
            self.model = DDP(self.model)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def fit(self):
        for epoch in range(3):
            self.model(torch.ones(2, 2)).mean().backward()
            self.optimizer.step()
        dist.barrier()  # expect: DDP114
        print("done")


Trainer().fit()
