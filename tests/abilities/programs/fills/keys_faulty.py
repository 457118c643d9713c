from collections import Counter, defaultdict

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


def start():
    dist.init_process_group("gloo")


def loader_of(data):
    start()
    return DataLoader(data, sampler=DistributedSampler(data, drop_last=True))


def copied_by_a_loop(data):
    for x in loader_of(data):
        losses = {"loss": x.mean()}
        if (x > 0).any():
            losses["acc"] = x.sum()
        shown = {}
        for name, value in losses.items():
            shown[name] = value.detach()
        for value in shown.values():
            dist.all_reduce(value)  # expect: DDP106


def copied_by_a_loop_under_a_new_name(data):
    for x in loader_of(data):
        losses = {"loss": x.mean()}
        if (x > 0).any():
            losses["acc"] = x.sum()
        shown = {}
        for name in losses:
            shown[f"train/{name}"] = losses[name].detach()
        for name in sorted(shown):
            dist.all_reduce(shown[name])  # expect: DDP106


def updated(data):
    for x in loader_of(data):
        losses = {"loss": x.mean()}
        if (x > 0).any():
            losses.update(acc=x.sum())
        for value in losses.values():
            dist.all_reduce(value)  # expect: DDP106


def updated_by_another(data):
    for x in loader_of(data):
        extra = {}
        if (x > 0).any():
            extra["acc"] = x.sum()
        losses = {"loss": x.mean()}
        losses.update(extra)
        for value in losses.values():
            dist.all_reduce(value)  # expect: DDP106


def updated_in_place(data):
    for x in loader_of(data):
        losses = {"loss": x.mean()}
        if x.max().item() > 3:
            losses |= {"acc": x.sum()}
        for value in losses.values():
            dist.all_reduce(value)  # expect: DDP106


def defaulted(data):
    for x in loader_of(data):
        losses = {"loss": x.mean()}
        if x.max().item() > 3:
            losses.setdefault("acc", x.sum())
        for value in losses.values():
            dist.all_reduce(value)  # expect: DDP106


def appended_to_lists(data):
    seen = defaultdict(list)
    for x in loader_of(data):
        if x.max().item() > 3:
            seen["high"].append(x)
        else:
            seen["low"].append(x)
    for name, parts in seen.items():
        dist.all_reduce(torch.stack(parts).sum())  # expect: DDP106


def counted(data):
    count = {}
    for batch in loader_of(data):
        for kind in batch["kinds"]:
            count[kind] = count.get(kind, 0) + 1
    for kind, n in count.items():
        dist.all_reduce(torch.tensor(n))  # expect: DDP106


def counted_with_a_default(data):
    count = defaultdict(int)
    for batch in loader_of(data):
        for kind in batch["kinds"]:
            count[kind] += 1
    for kind in sorted(count):
        dist.all_reduce(torch.tensor(count[kind]))  # expect: DDP106


def counted_by_library(data):
    count = Counter()
    for batch in loader_of(data):
        for kind in batch["kinds"]:
            count[kind] += 1
    for kind, n in count.most_common():
        dist.all_reduce(torch.tensor(n))  # expect: DDP106


def counted_at_once(data):
    count = Counter()
    for batch in loader_of(data):
        count.update(batch["kinds"])
    for kind in count:
        dist.all_reduce(torch.tensor(count[kind]))  # expect: DDP106


def grouped(data):
    groups = {}
    for batch in loader_of(data):
        for kind, value in zip(batch["kinds"], batch["values"]):
            groups.setdefault(kind, []).append(value)
    for kind in groups:
        dist.all_reduce(torch.stack(groups[kind]).mean())  # expect: DDP106


def seen_kinds(data):
    kinds = set()
    for batch in loader_of(data):
        kinds.update(batch["kinds"])
    for kind in sorted(kinds):
        dist.all_reduce(torch.zeros(1))  # expect: DDP106


def seen_in_lists(data):
    high = []
    for x in loader_of(data):
        if x.max().item() > 3:
            high.append(x)
    shown = [x.mean() for x in high]
    for x in shown:
        dist.all_reduce(x)  # expect: DDP106


def filtered_by_a_comprehension(data):
    for x in loader_of(data):
        losses = {"a": x.mean(), "b": x.sum()}
        kept = {name: value for name, value in losses.items() if value > 0}
        for value in kept.values():
            dist.all_reduce(value)  # expect: DDP106


def merged(data):
    for x in loader_of(data):
        extra = {}
        if x.max() > 0:
            extra["acc"] = x.sum()
        losses = {"loss": x.mean(), **extra}
        for value in losses.values():
            dist.all_reduce(value)  # expect: DDP106


def removed(data):
    for x in loader_of(data):
        losses = {"loss": x.mean(), "acc": x.sum()}
        if x.max() > 0:
            del losses["acc"]
        for value in losses.values():
            dist.all_reduce(value)  # expect: DDP106


def popped(data):
    for x in loader_of(data):
        losses = {"loss": x.mean(), "acc": x.sum()}
        if x.max() > 0:
            losses.pop("acc")
        for value in losses.values():
            dist.all_reduce(value)  # expect: DDP106


def one_of_two(data):
    for x in loader_of(data):
        losses = {}
        if x.max() > 0:
            losses["high"] = x.sum()
        else:
            losses["high"] = x.sum()
            losses["low"] = x.sum()
        for value in losses.values():
            dist.all_reduce(value)  # expect: DDP106
