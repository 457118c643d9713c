import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, Sampler


class Budget(Sampler):
    def __init__(self, sampler, lengths, most):
        self.sampler, self.lengths, self.most = sampler, lengths, most

    def __iter__(self):
        batch, longest = [], 0
        for index in self.sampler:
            longest = max(longest, self.lengths[index])
            if longest * (len(batch) + 1) > self.most:
                yield batch
                batch, longest = [], self.lengths[index]
            batch.append(index)
        if batch:
            yield batch


dist.init_process_group("gloo")
data = torch.load("data.pt")
sampler = DistributedSampler(data)
loader = DataLoader(data, batch_sampler=Budget(sampler, [len(row) for row in data], 4000))
model = DistributedDataParallel(torch.nn.Linear(3, 3))
for epoch in range(10):
    sampler.set_epoch(epoch)
    for batch in loader:
        model(batch).mean().backward()  # expect: DDP106
