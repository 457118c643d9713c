import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from job import build, loader, optimizer

dist.init_process_group("gloo")
model = DistributedDataParallel(build())
for batch in loader:
    optimizer.zero_grad()
    try:
        loss = model(batch).mean()
        loss.backward()
    except RuntimeError as error:
        print("once more with half of it:", error)
        loss = model(batch[: len(batch) // 2]).mean()  # expect: DDP105
        loss.backward()
    optimizer.step()
