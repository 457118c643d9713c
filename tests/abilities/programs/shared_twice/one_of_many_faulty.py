import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader, DistributedSampler

from job import net, options, parts

accelerator = Accelerator()
model = net()
model, optimizer = accelerator.prepare(model, torch.optim.SGD(model.parameters(), 0.1))
loaders = {name: DataLoader(part, 8, sampler=DistributedSampler(part, shuffle=False)) for name, part in parts().items()}
loader = accelerator.prepare(loaders["train"])  # expect: DDP304
for batch in loader:
    accelerator.backward(model(batch).mean())
    optimizer.step()
    optimizer.zero_grad()
