import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo")
model = DDP(torch.nn.Linear(1, 1))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for first, second in zip(torch.randn(4, 2, 1), torch.randn(4, 2, 1)):
    model(first).mean().backward()
    with model.no_sync():
        model(second).mean().backward()  # expect: DDP602
    optimizer.step()
    optimizer.zero_grad()
