import torch
import torch.distributed as dist

from job import build, loader, optimizer

dist.init_process_group("gloo")
model = build()
for batch in loader:
    optimizer.zero_grad()
    try:
        loss = model(batch).mean()
        loss.backward()
    except RuntimeError:
        optimizer.zero_grad()
        for half in batch.chunk(2):
            model(half).mean().backward()
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad)
    optimizer.step()
