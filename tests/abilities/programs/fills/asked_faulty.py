from collections import defaultdict

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


def loader_of(data):
    dist.init_process_group("gloo")
    return DataLoader(data, sampler=DistributedSampler(data, drop_last=True))


def asked_with_a_default(data):
    seen = {}
    for batch in loader_of(data):
        for genre in batch.get("genres", []):
            seen[genre] = seen.get(genre, 0) + 1
    for genre, n in seen.items():
        dist.all_reduce(torch.tensor(n))  # expect: DDP106


def made_a_list(data):
    seen = defaultdict(int)
    for batch in loader_of(data):
        for genre in batch["genres"].tolist():
            seen[genre] += 1
    for n in seen.values():
        dist.all_reduce(torch.tensor(n))  # expect: DDP106


def copied_to_a_list(data):
    seen = defaultdict(list)
    for batch in loader_of(data):
        for genre in list(batch["genres"]):
            seen[genre].append(1.0)
    for genre in seen:
        dist.all_reduce(torch.tensor(seen[genre]))  # expect: DDP106


def taken_out(data):
    seen = {}
    for batch in loader_of(data):
        for genre, loss in zip(batch.pop("genres"), batch["losses"], strict=True):
            seen.setdefault(genre, []).append(loss)
    for parts in seen.values():
        dist.all_reduce(torch.stack(parts).sum())  # expect: DDP106
