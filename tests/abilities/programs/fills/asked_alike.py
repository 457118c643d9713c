from collections import defaultdict

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


def loader_of(data):
    dist.init_process_group("gloo")
    return DataLoader(data, sampler=DistributedSampler(data, drop_last=True))


def named_before(data):
    seen = dict.fromkeys(("film", "song"), 0)
    for batch in loader_of(data):
        for genre in batch.get("genres", []):
            seen[genre] += 1
    for n in seen.values():
        dist.all_reduce(torch.tensor(n))


def parts_of_every_batch(data):
    seen = defaultdict(list)
    for batch in loader_of(data):
        for name, part in batch.items():
            seen[name].append(part.sum())
    for parts in seen.values():
        dist.all_reduce(torch.stack(parts).sum())


def names_in_a_part(data):
    seen = {}
    for batch in loader_of(data):
        for name in batch.get("losses", {}).keys():
            seen.setdefault(name, []).append(1.0)
    for parts in seen.values():
        dist.all_reduce(torch.tensor(parts))


def names_listed(data):
    seen = {}
    for batch in loader_of(data):
        for name in list(batch["losses"].keys()):
            seen[name] = seen.get(name, 0) + 1
    for n in seen.values():
        dist.all_reduce(torch.tensor(n))


def names_agreed(data):
    seen = {}
    for batch in loader_of(data):
        for genre in batch.get("genres", []):
            seen[genre] = seen.get(genre, 0) + 1
    all_seen = [None] * dist.get_world_size()
    dist.all_gather_object(all_seen, sorted(seen))
    for genre in sorted(set().union(*all_seen)):
        dist.all_reduce(torch.tensor(seen.get(genre, 0)))


def only_shown(data):
    seen = {}
    for batch in loader_of(data):
        for genre in batch.get("genres", []):
            seen[genre] = seen.get(genre, 0) + 1
    print(seen)
    dist.all_reduce(torch.tensor(sum(seen.values())))
