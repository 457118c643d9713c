import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader, DistributedSampler

from job import net, options, parts

accelerator = Accelerator()
model = net()
model, optimizer = accelerator.prepare(model, torch.optim.SGD(model.parameters(), 0.1))
class Endless(DistributedSampler):
    def __iter__(self):
        while True:
            yield from super().__iter__()


kind = Endless if options.endless else DistributedSampler
part = parts()
loader = accelerator.prepare(DataLoader(part, 8, sampler=kind(part, shuffle=False)))  # expect: DDP304
for batch in loader:
    accelerator.backward(model(batch).mean())
    optimizer.step()
    optimizer.zero_grad()
