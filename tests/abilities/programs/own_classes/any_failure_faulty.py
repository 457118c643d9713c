import torch
import torch.distributed as dist
from data import next_batch


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
        batch = next_batch(dist.get_rank())
        model(batch).sum().backward()  # expect: DDP105
        step += 1
    except TooLong:
        break
    except ValueError:
        step += 1
dist.barrier()
