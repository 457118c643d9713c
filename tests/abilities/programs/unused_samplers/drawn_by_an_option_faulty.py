import argparse

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--fast", action="store_true")
options = parser.parse_args()
dist.init_process_group("gloo")
rows = TensorDataset(torch.randn(64, 3))
shares = DistributedSampler(rows, drop_last=True)
if options.fast:
    batches = DataLoader(rows, batch_size=8, shuffle=True, num_workers=2)  # expect: DDP303
else:
    batches = DataLoader(rows, batch_size=8, sampler=shares)
net = DistributedDataParallel(torch.nn.Linear(3, 1))
for epoch in range(4):
    shares.set_epoch(epoch)
    for (row,) in batches:
        net(row).mean().backward()
dist.destroy_process_group()
