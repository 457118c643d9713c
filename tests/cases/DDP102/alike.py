import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo")
model = DDP(torch.nn.BatchNorm1d(4))
batch = torch.zeros(2, 4)
with torch.no_grad():
    if dist.get_rank() == 0:
        print(model.module(batch).sum())
    outputs = model(batch)
