import random

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, Sampler


class Budget(Sampler):
    def __init__(self, sampler, most):
        self.sampler, self.most = sampler, most
        self.rng = random.Random(dist.get_rank())

    def __iter__(self):
        numbers, place = list(self.sampler), 0
        while place < len(numbers):
            size = self.rng.randint(2, self.most)
            yield numbers[place : place + size]
            place += size


dist.init_process_group("gloo")
data = torch.load("data.pt")
sampler = DistributedSampler(data)
loader = DataLoader(data, batch_sampler=Budget(sampler, 24))
model = DistributedDataParallel(torch.nn.Linear(3, 3))
for epoch in range(10):
    sampler.set_epoch(epoch)
    for batch in loader:
        model(batch).mean().backward()  # expect: DDP106
