import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

dist.init_process_group("gloo")
rows = TensorDataset(torch.randn(64, 3))
shares = DistributedSampler(rows, drop_last=True)
batches = DataLoader(rows, batch_size=8, sampler=shares)
look = DataLoader(rows, batch_size=8, shuffle=True)
net = DistributedDataParallel(torch.nn.Linear(3, 1))
print(next(iter(look)))
for epoch in range(4):
    shares.set_epoch(epoch)
    for (row,) in batches:
        net(row).mean().backward()
dist.destroy_process_group()
