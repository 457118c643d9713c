import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, RandomSampler, TensorDataset

several = int(os.environ.get("WORLD_SIZE", 1)) > 1
rows = TensorDataset(torch.randn(64, 3))
net = torch.nn.Linear(3, 1)
if several:
    dist.init_process_group("gloo")
    net = DistributedDataParallel(net)
    shares = DistributedSampler(rows, drop_last=True)
else:
    shares = RandomSampler(rows)
batches = DataLoader(rows, batch_size=8, sampler=shares)
for epoch in range(4):
    if several:
        shares.set_epoch(epoch)
    for (row,) in batches:
        net(row).mean().backward()
if several:
    dist.destroy_process_group()
