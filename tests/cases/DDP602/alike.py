import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo")
model = DDP(torch.nn.Linear(1, 1))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for first, second in zip(torch.randn(4, 2, 1), torch.randn(4, 2, 1)):
    with model.no_sync():
        model(first).mean().backward()
    model(second).mean().backward()
    optimizer.step()
    optimizer.zero_grad()
