import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, Sampler


class Budget(Sampler):
    def __init__(self, sampler, size):
        self.sampler, self.size = sampler, size

    def __iter__(self):
        batch = []
        for index in self.sampler:
            batch.append(index)
            if len(batch) == self.size:
                yield batch
                batch = []
        if batch:
            yield batch


dist.init_process_group("gloo")
data = torch.load("data.pt")
sampler = DistributedSampler(data)
loader = DataLoader(data, batch_sampler=Budget(sampler, 24))
model = DistributedDataParallel(torch.nn.Linear(3, 3))
for epoch in range(10):
    sampler.set_epoch(epoch)
    for batch in loader:
        model(batch).mean().backward()
