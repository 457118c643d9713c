import itertools
from collections import Counter, defaultdict
from dataclasses import dataclass, field

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


def loader_of(data):
    dist.init_process_group("gloo")
    return DataLoader(data, sampler=DistributedSampler(data, drop_last=True))


def under_a_name_from_outside(options):
    dist.init_process_group("gloo")
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took[options.name] = 2.0
    for name in took:
        dist.all_reduce(torch.tensor(took[name]))  # expect: DDP103


def set_of_names(options):
    dist.init_process_group("gloo")
    names = {"step"}
    if dist.get_rank() == 0:
        names.add("save")
    for name in sorted(names):
        dist.all_reduce(torch.zeros(1))  # expect: DDP103


def set_in_place(options):
    dist.init_process_group("gloo")
    names = {"step"}
    if dist.get_rank() == 0:
        names |= {"save"}
    for name in sorted(names):
        dist.all_reduce(torch.zeros(1))  # expect: DDP103


def filtered_by_rank(data):
    for x in loader_of(data):
        losses = {"loss": x.mean(), "acc": x.sum()}
        mine = {name: value for name, value in losses.items() if name == "loss" or dist.get_rank() == 0}
        for value in mine.values():
            dist.all_reduce(value)  # expect: DDP106


def in_a_nested_dictionary(data):
    stats = {"train": {}}
    for x in loader_of(data):
        stats["train"]["loss"] = x.mean()
        if x.max() > 3:
            stats["train"]["high"] = x.max()
    for value in stats["train"].values():
        dist.all_reduce(value)  # expect: DDP106


def in_a_dictionary_of_dictionaries(data):
    stats = defaultdict(dict)
    for x in loader_of(data):
        stats["train"]["loss"] = x.mean()
        if x.max() > 3:
            stats["train"]["high"] = x.max()
    for name in sorted(stats["train"]):
        dist.all_reduce(stats["train"][name])  # expect: DDP106


def kinds_of_a_batch(data):
    for batch in loader_of(data):
        for kind in set(batch["kinds"]):
            dist.all_reduce(torch.zeros(1))  # expect: DDP106


def counter_of_a_batch(data):
    for batch in loader_of(data):
        for kind, count in Counter(batch["kinds"]).items():
            dist.all_reduce(torch.tensor(count))  # expect: DDP106


def from_the_keys(data):
    for batch in loader_of(data):
        sums = dict.fromkeys(batch["kinds"], 0)
        for kind in sums:
            dist.all_reduce(torch.tensor(sums[kind]))  # expect: DDP106


def chained(data):
    for x in loader_of(data):
        high = [row for row in x if row.max() > 3]
        for row in itertools.chain([x], high):
            dist.all_reduce(row)  # expect: DDP106


def taken_one_by_one(data):
    found = []
    for x in loader_of(data):
        if x.max() > 3:
            found.append(x)
    while found:
        dist.all_reduce(found.pop())  # expect: DDP106


def by_a_helper(data):
    for x in loader_of(data):
        losses = {"loss": x.mean()}
        fill(losses, x)
        for value in losses.values():
            dist.all_reduce(value)  # expect: DDP106


def fill(losses, x):
    if x.max() > 3:
        losses["high"] = x.max()


def given_back(data):
    for x in loader_of(data):
        for value in step(x).values():
            dist.all_reduce(value)  # expect: DDP106


def step(x):
    out = {"loss": x.mean()}
    if x.max() > 3:
        out["high"] = x.max()
    return out


@dataclass
class Seen:
    sums: dict = field(default_factory=dict)

    def add(self, name, value):
        self.sums[name] = self.sums.get(name, 0) + value


def in_an_object(data):
    seen = Seen()
    for x in loader_of(data):
        if x.max() > 3:
            seen.add("high", x.max())
        seen.add("loss", x.mean())
    for name in sorted(seen.sums):
        dist.all_reduce(seen.sums[name])  # expect: DDP106


def known_names(data):
    for x in loader_of(data):
        losses = {"loss": x.mean()}
        if x.max() > 3:
            losses["high"] = x.max()
        for name in ("loss", "high"):
            if name in losses:
                dist.all_reduce(losses[name])  # expect: DDP104


def asked_for(data):
    for x in loader_of(data):
        losses = {"loss": x.mean()}
        if x.max() > 3:
            losses["high"] = x.max()
        high = losses.get("high")
        if high is not None:
            dist.all_reduce(high)  # expect: DDP104


def only_if_there_is_one(data):
    high = []
    for x in loader_of(data):
        if x.max() > 3:
            high.append(x.max())
    if high:
        dist.all_reduce(torch.stack(high).mean())  # expect: DDP104


def more_than_one(data):
    high = {}
    for x in loader_of(data):
        if x.max() > 3:
            high["max"] = x.max()
    if len(high) > 0:
        dist.all_reduce(high["max"])  # expect: DDP104


def by_number(data):
    high = []
    for x in loader_of(data):
        if x.max() > 3:
            high.append(x.max())
    for number in range(len(high)):
        dist.all_reduce(high[number])  # expect: DDP106
