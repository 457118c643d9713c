import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


def of_the_rows(rows):
    batch = {"x": torch.stack([row["x"] for row in rows])}
    seen = [row["pic"] for row in rows if "pic" in row]
    if seen:
        batch["pic"] = torch.stack(seen)
    return batch


def one_by_one(rows):
    batch = {"x": [], "sound": []}
    for row in rows:
        batch["x"].append(row["x"])
        if "sound" in row:
            batch["sound"].append(row["sound"])
    if not batch["sound"]:
        del batch["sound"]
    return batch


class Collator:
    def __call__(self, rows):
        return self.collate(rows)

    def collate(self, rows):
        return of_the_rows(rows)


def by_a_test(data):
    dist.init_process_group("gloo")
    for batch in DataLoader(data, sampler=DistributedSampler(data, drop_last=True), collate_fn=of_the_rows):
        if "pic" in batch:
            dist.all_reduce(batch["pic"])  # expect: DDP104


def for_each_part(data):
    dist.init_process_group("gloo")
    for batch in DataLoader(data, sampler=DistributedSampler(data, drop_last=True), collate_fn=of_the_rows):
        for name, part in batch.items():
            dist.all_reduce(part)  # expect: DDP106


def by_a_method(data):
    dist.init_process_group("gloo")
    collate = Collator()
    for batch in DataLoader(data, sampler=DistributedSampler(data, drop_last=True), collate_fn=collate.collate):
        if "pic" in batch:
            dist.all_reduce(batch["pic"])  # expect: DDP104
