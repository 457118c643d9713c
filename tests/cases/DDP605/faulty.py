import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo")
torch.manual_seed(0)
model = DDP(nn.Linear(2, 2))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for batch in torch.ones(8, 4, 2):
    noise = torch.randn_like(batch)  # expect: DDP605
    loss = (model(batch + noise) - batch).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
