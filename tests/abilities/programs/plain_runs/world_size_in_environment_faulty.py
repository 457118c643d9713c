import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def start():
    world_size = int(os.environ.get("WORLD_SIZE", "1"))
    if world_size == 1:
        return 0, 1
    dist.init_process_group("gloo")
    return dist.get_rank(), world_size


class Trainer:
    def __init__(self):
        self.rank, self.world_size = start()
        self.model = nn.Linear(2, 2)
        if self.world_size > 1:
            self.model = DDP(self.model)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def run(self):
        for epoch in range(3):
            self.model(torch.ones(2, 2)).mean().backward()
            self.optimizer.step()
            if epoch % 2 == 0:
                dist.barrier()  # expect: DDP114
                print("epoch", epoch)


Trainer().run()
