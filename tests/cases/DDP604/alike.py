import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo")
model = DDP(torch.nn.Linear(1, 1))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
for batch in torch.randn(4, 2, 1):
    model(batch).mean().backward()
    optimizer.step()
    scheduler.step()
    if dist.get_rank() == 0:
        model.eval()
        print(scheduler.get_last_lr(), model.module(batch))
        model.train()
