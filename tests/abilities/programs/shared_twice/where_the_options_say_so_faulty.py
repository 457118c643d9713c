import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader, DistributedSampler

from job import net, options, parts

accelerator = Accelerator()
model = net()
model, optimizer = accelerator.prepare(model, torch.optim.SGD(model.parameters(), 0.1))
part = parts()
sampler = DistributedSampler(part, shuffle=False) if options.shared else None
loader = accelerator.prepare(DataLoader(part, 8, sampler=sampler))  # expect: DDP304
for batch in loader:
    accelerator.backward(model(batch).mean())
    optimizer.step()
    optimizer.zero_grad()
