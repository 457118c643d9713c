import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

dist.init_process_group("gloo")
model = nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)  # expect: DDP607
model = FSDP(model)
for batch in torch.ones(8, 4, 2):
    model(batch).mean().backward()
    optimizer.step()
