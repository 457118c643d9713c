import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


def loader_of(data):
    dist.init_process_group("gloo")
    return DataLoader(data, sampler=DistributedSampler(data, drop_last=True))


def values_of_a_dictionary(data):
    sums = {"loss": torch.zeros(()), "high": torch.zeros(())}
    for x in loader_of(data):
        if x.max() > 3:
            sums["high"] = x.max()
    dist.all_reduce(torch.stack(list(sums.values())))


def how_many(data):
    found = []
    for x in loader_of(data):
        if x.max() > 3:
            found.append(x.max().item())
    numbers = torch.tensor([sum(found), len(found)])
    dist.all_reduce(numbers)


def the_mean(data):
    found = []
    for x in loader_of(data):
        if x.max() > 3:
            found.append(x.max())
    mean = torch.stack(found).mean()
    dist.all_reduce(mean)


def one_for_each_batch(data):
    found = []
    for x in loader_of(data):
        found.append(x.max().item())
    numbers = torch.tensor(found)
    dist.all_reduce(numbers)


def of_known_kinds(data, kinds):
    sums = {}
    for batch in loader_of(data):
        for kind in batch["kinds"]:
            sums[kind] = sums.get(kind, 0) + 1
    numbers = torch.tensor([sums.get(kind, 0) for kind in kinds])
    dist.all_reduce(numbers)


def gathered_as_objects(data):
    found = []
    for x in loader_of(data):
        if x.max() > 3:
            found.append(x)
    parts = [None] * dist.get_world_size()
    dist.all_gather_object(parts, torch.cat(found))


def padded(data):
    found = []
    for x in loader_of(data):
        if x.max() > 3:
            found.append(x.max())
    values = torch.stack(found)
    whole = torch.zeros(100)
    whole[: len(values)] = values
    dist.all_reduce(whole)
