import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

dist.init_process_group("gloo")
model = DDP(torch.nn.Linear(1, 1))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
data = torch.randn(10, 1)
sampler = DistributedSampler(data, drop_last=True)
loader = DataLoader(data, sampler=sampler)
for epoch in range(3):
    sampler.set_epoch(epoch)
    for batch in loader:  # expect: DDP302
        model(batch).mean().backward()
        optimizer.step()
