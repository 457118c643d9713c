import torch
import torch.distributed as dist


class TooLong(Exception):
    pass


def check(step):
    if step > 100:
        raise TooLong


dist.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 4))
step = 0
while True:
    try:
        check(step)
        model(torch.rand(2, 4)).sum().backward()
        step += 1
    except TooLong:
        break
dist.barrier()
