import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, Sampler


class Budget(Sampler):
    def __init__(self, sampler, lengths, most):
        self.sampler, self.lengths, self.most = sampler, lengths, most

    def __iter__(self):
        for index in self.sampler:
            if self.lengths[index] > self.most:
                yield [index]
            elif self.lengths[index] > 2:
                yield [index, index]
                continue
            else:
                yield [index, index, index]


dist.init_process_group("gloo")
data = torch.load("data.pt")
sampler = DistributedSampler(data)
loader = DataLoader(data, batch_sampler=Budget(sampler, [len(row) for row in data], 4000))
model = DistributedDataParallel(torch.nn.Linear(3, 3))
for epoch in range(10):
    sampler.set_epoch(epoch)
    for batch in loader:
        model(batch).mean().backward()
