import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, Sampler


class Budget(Sampler):
    def __init__(self, lengths, most):
        self.lengths, self.most = lengths, most

    def __iter__(self):
        batches, batch = [], []
        for index in sorted(range(len(self.lengths)), key=self.lengths.__getitem__):
            if batch and self.lengths[index] * (len(batch) + 1) > self.most:
                batches.append(batch)
                batch = []
            batch.append(index)
        each = len(batches) // dist.get_world_size()
        yield from batches[dist.get_rank() * each : (dist.get_rank() + 1) * each]


dist.init_process_group("gloo")
data = torch.load("data.pt")
sampler = DistributedSampler(data)
loader = DataLoader(data, batch_sampler=Budget([len(row) for row in data], 4000))
model = DistributedDataParallel(torch.nn.Linear(3, 3))
for epoch in range(10):
    sampler.set_epoch(epoch)
    for batch in loader:
        model(batch).mean().backward()
