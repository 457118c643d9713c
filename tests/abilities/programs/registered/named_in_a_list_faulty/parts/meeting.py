import torch
import torch.distributed as dist


def mean_of(value):
    dist.all_reduce(value)
    return value / dist.get_world_size()


def score(model, loader):
    total = torch.zeros(1)
    for batch in loader:
        total += model(batch).sum()
    return mean_of(total)
