import torch.distributed as dist

from job import build

dist.init_process_group("gloo")
model, ready = build(), set()
for parameter in model.parameters():
    if parameter.requires_grad:
        ready.add(parameter)
for parameter in ready:  # expect: DDP103
    dist.all_reduce(parameter.grad)
