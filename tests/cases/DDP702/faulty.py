import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

dist.init_process_group("gloo")
model = FSDP(nn.Linear(2, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for batch in torch.ones(8, 4, 2):
    model(batch).mean().backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: DDP702
    optimizer.step()
