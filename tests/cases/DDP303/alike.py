import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

dist.init_process_group("gloo")
model = DDP(torch.nn.Linear(1, 1))
data = TensorDataset(torch.zeros(10, 1))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
sampler = DistributedSampler(data, drop_last=True)
loader = DataLoader(data, sampler=sampler)
for epoch in range(3):
    sampler.set_epoch(epoch)
    for batch in loader:
        model(*batch).mean().backward()
        optimizer.step()
own = torch.utils.data.Subset(data, range(dist.get_rank(), 8, dist.get_world_size()))
for batch in DataLoader(own):
    model.module(*batch)
