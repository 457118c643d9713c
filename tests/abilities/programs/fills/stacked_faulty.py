import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


def loader_of(data):
    dist.init_process_group("gloo")
    return DataLoader(data, sampler=DistributedSampler(data, drop_last=True))


def values_of_a_dictionary(data):
    sums = {"loss": torch.zeros(())}
    for x in loader_of(data):
        if x.max() > 3:
            sums["high"] = x.max()
    dist.all_reduce(torch.stack(list(sums.values())))  # expect: DDP111


def as_a_tensor(data):
    found = []
    for x in loader_of(data):
        if x.max() > 3:
            found.append(x.max().item())
    numbers = torch.tensor(found)
    dist.all_reduce(numbers)  # expect: DDP111


def sorted_first(data):
    sums = {}
    for batch in loader_of(data):
        for kind in batch["kinds"]:
            sums[kind] = sums.get(kind, 0) + 1
    numbers = torch.tensor([sums[kind] for kind in sorted(sums)])
    dist.all_reduce(numbers)  # expect: DDP111


def gathered(data):
    found = []
    for x in loader_of(data):
        if x.max() > 3:
            found.append(x)
    parts = [torch.zeros(8, 4) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, torch.cat(found))  # expect: DDP111
