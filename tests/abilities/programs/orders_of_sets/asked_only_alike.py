import torch.distributed as dist

from job import build

dist.init_process_group("gloo")
model, frozen = build(), set()
for name, parameter in model.named_parameters():
    if not parameter.requires_grad:
        frozen.add(name)
for name, parameter in model.named_parameters():
    if name not in frozen:
        dist.all_reduce(parameter.grad)
