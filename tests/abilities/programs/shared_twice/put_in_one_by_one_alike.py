import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader, DistributedSampler

from job import net, options, parts

accelerator = Accelerator()
model = net()
model, optimizer = accelerator.prepare(model, torch.optim.SGD(model.parameters(), 0.1))
loaders = {}
for name, part in parts().items():
    loaders[name] = DataLoader(part, 8, sampler=DistributedSampler(part, num_replicas=1, rank=0, shuffle=False))
loader = accelerator.prepare(loaders["train"])
for batch in loader:
    accelerator.backward(model(batch).mean())
    optimizer.step()
    optimizer.zero_grad()
