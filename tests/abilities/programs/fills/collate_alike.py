import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


def fixed(rows):
    return {"x": torch.stack([row["x"] for row in rows]), "y": torch.stack([row["y"] for row in rows])}


def filled_up(rows):
    batch = {"x": torch.stack([row["x"] for row in rows])}
    seen = [row["pic"] for row in rows if "pic" in row]
    batch["pic"] = torch.stack(seen) if seen else torch.zeros(1, 3, 8, 8)
    return batch


def by_the_first(rows):
    batch = {"x": torch.stack([row["x"] for row in rows])}
    if "y" in rows[0]:
        batch["y"] = torch.stack([row["y"] for row in rows])
    return batch


def as_configured(names):
    def collate(rows):
        return {name: torch.stack([row[name] for row in rows]) for name in names}

    return collate


def of_fixed_parts(data):
    dist.init_process_group("gloo")
    for batch in DataLoader(data, sampler=DistributedSampler(data, drop_last=True), collate_fn=fixed):
        if "y" in batch:
            dist.all_reduce(batch["y"])


def of_all_parts(data):
    dist.init_process_group("gloo")
    for batch in DataLoader(data, sampler=DistributedSampler(data, drop_last=True), collate_fn=filled_up):
        if "pic" in batch:
            dist.all_reduce(batch["pic"])


def by_configuration(data):
    dist.init_process_group("gloo")
    for batch in DataLoader(data, sampler=DistributedSampler(data, drop_last=True), collate_fn=by_the_first):
        if "y" in batch:
            dist.all_reduce(batch["y"])


def by_names(data, options):
    dist.init_process_group("gloo")
    collate = as_configured(options.names)
    for batch in DataLoader(data, sampler=DistributedSampler(data, drop_last=True), collate_fn=collate):
        for part in batch.values():
            dist.all_reduce(part)


def by_default(data):
    dist.init_process_group("gloo")
    for batch in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        if "pic" in batch:
            dist.all_reduce(batch["pic"])


def by_a_library(data, collate):
    dist.init_process_group("gloo")
    for batch in DataLoader(data, sampler=DistributedSampler(data, drop_last=True), collate_fn=collate):
        if "pic" in batch:
            dist.all_reduce(batch["pic"])
