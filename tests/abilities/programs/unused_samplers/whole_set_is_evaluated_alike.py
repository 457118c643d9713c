import argparse

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--share-evaluation", action="store_true")
options = parser.parse_args()
dist.init_process_group("gloo")
rows = TensorDataset(torch.randn(64, 3))
shares = DistributedSampler(rows, shuffle=False, drop_last=True)
if options.share_evaluation:
    batches = DataLoader(rows, batch_size=8, sampler=shares)
else:
    batches = DataLoader(rows, batch_size=8)
net = torch.nn.Linear(3, 1)
total = torch.zeros(1)
with torch.no_grad():
    for (row,) in batches:
        total += net(row).sum()
print(total)
dist.destroy_process_group()
