import torch
import torch.distributed as dist


class Unreadable(Exception):
    pass


def read(path):
    try:
        return torch.load(path)
    except OSError:
        raise Unreadable(path)


dist.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 4))
for step in range(10):
    try:
        batch = read(f"part{dist.get_rank()}-{step}.pt")
        model(batch).sum().backward()  # expect: DDP105
    except Unreadable:
        continue
dist.barrier()
