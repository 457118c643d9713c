import itertools
from collections import Counter, defaultdict
from dataclasses import dataclass, field

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


def loader_of(data):
    dist.init_process_group("gloo")
    return DataLoader(data, sampler=DistributedSampler(data, drop_last=True))


def under_a_name_for_all(options):
    dist.init_process_group("gloo")
    took = {"step": 1.0}
    took[options.name] = 1.0
    if dist.get_rank() == 0:
        took[options.name] = 2.0
    for name in took:
        dist.all_reduce(torch.tensor(took[name]))


def under_a_name_set_later(options):
    dist.init_process_group("gloo")
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took[options.name] = 2.0
    took.setdefault(options.name, 0.0)
    for name in took:
        dist.all_reduce(torch.tensor(took[name]))


def under_a_name_only_printed(options):
    dist.init_process_group("gloo")
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took[options.name] = 2.0
    print(took)
    dist.barrier()


def set_of_names(options):
    dist.init_process_group("gloo")
    names = {"step", "save"}
    if dist.get_rank() == 0:
        names.add("save")
    for name in sorted(names):
        dist.all_reduce(torch.zeros(1))


def set_in_place(options):
    dist.init_process_group("gloo")
    names = {"step"}
    if options.save:
        names |= {"save"}
    for name in sorted(names):
        dist.all_reduce(torch.zeros(1))


def filtered_by_name(data, options):
    for x in loader_of(data):
        losses = {"loss": x.mean(), "acc": x.sum()}
        mine = {name: value for name, value in losses.items() if name in options.names}
        for value in mine.values():
            dist.all_reduce(value)


def in_a_nested_dictionary(data):
    stats = {"train": {"high": torch.zeros(())}}
    for x in loader_of(data):
        stats["train"]["loss"] = x.mean()
        if x.max() > 3:
            stats["train"]["high"] = x.max()
    for value in stats["train"].values():
        dist.all_reduce(value)


def in_a_dictionary_of_dictionaries(data):
    stats = defaultdict(dict)
    for x in loader_of(data):
        stats["train"]["loss"] = x.mean()
        stats["train"]["high"] = x.max()
        if x.max() > 3:
            stats["best"]["high"] = x.max()
    for name in sorted(stats["train"]):
        dist.all_reduce(stats["train"][name])


def kinds_of_a_batch_printed(data):
    for batch in loader_of(data):
        for kind in set(batch["kinds"]):
            print(kind)
        dist.barrier()


def parts_of_a_batch(data):
    for batch in loader_of(data):
        for name in set(batch.keys()):
            dist.all_reduce(batch[name])


def parts_of_a_part(data):
    for batch in loader_of(data):
        for name in sorted(set(batch["inputs"].keys())):
            dist.all_reduce(batch["inputs"][name])


def from_known_keys(data, kinds):
    for batch in loader_of(data):
        sums = dict.fromkeys(kinds, 0)
        for kind in batch["kinds"]:
            sums[kind] += 1
        for kind in sums:
            dist.all_reduce(torch.tensor(sums[kind]))


def from_written_keys(data):
    for batch in loader_of(data):
        sums = dict.fromkeys(("cat", "dog"), 0)
        for kind in batch["kinds"]:
            sums[kind] = sums[kind] + 1
        for kind in sums:
            dist.all_reduce(torch.tensor(sums[kind]))


def chained(data):
    for x in loader_of(data):
        for part in itertools.chain([x], [x.mean(), x.sum()]):
            dist.all_reduce(part)


def chained_parameters(model):
    dist.init_process_group("gloo")
    for part in itertools.chain(model.parameters(), model.buffers()):
        dist.all_reduce(part)


def taken_one_by_one(data):
    found = []
    for x in loader_of(data):
        found.append(x.max())
    while found:
        dist.all_reduce(found.pop())


def by_a_helper(data):
    for x in loader_of(data):
        losses = {"loss": x.mean(), "high": torch.zeros(())}
        fill(losses, x)
        for value in losses.values():
            dist.all_reduce(value)


def fill(losses, x):
    if x.max() > 3:
        losses["high"] = x.max()


def given_back(data):
    for x in loader_of(data):
        for value in step(x).values():
            dist.all_reduce(value)


def step(x):
    out = {"loss": x.mean()}
    out["high"] = x.max() if x.max() > 3 else torch.zeros(())
    return out


@dataclass
class Seen:
    sums: dict = field(default_factory=dict)

    def add(self, name, value):
        self.sums[name] = self.sums.get(name, 0) + value


def in_an_object(data):
    seen = Seen()
    for x in loader_of(data):
        seen.add("high", x.max())
        seen.add("loss", x.mean())
    for name in sorted(seen.sums):
        dist.all_reduce(seen.sums[name])


def in_two_objects(data):
    seen, rare = Seen(), Seen()
    for x in loader_of(data):
        if x.max() > 3:
            rare.add("high", x.max())
        seen.add("loss", x.mean())
    print(rare.sums)
    for name in sorted(seen.sums):
        dist.all_reduce(seen.sums[name])


def known_names(data):
    for x in loader_of(data):
        losses = {"loss": x.mean()}
        if x.max() > 3:
            losses["high"] = x.max()
        for name in ("loss", "high"):
            dist.all_reduce(losses[name] if name in losses else torch.zeros(()))


def surely_there(data):
    for x in loader_of(data):
        losses = {"loss": x.mean()}
        if x.max() > 3:
            losses["high"] = x.max()
        if "loss" in losses:
            dist.all_reduce(losses["loss"])


def surely_asked_for(data):
    for x in loader_of(data):
        losses = {"loss": x.mean()}
        if x.max() > 3:
            losses["high"] = x.max()
        loss = losses.get("loss")
        if loss is not None:
            dist.all_reduce(loss)


def asked_for(data):
    for x in loader_of(data):
        losses = {"loss": x.mean()}
        if x.max() > 3:
            losses["high"] = x.max()
        high = losses.get("high", torch.zeros(()))
        dist.all_reduce(high)


def never_empty(data):
    high = {"loss": torch.zeros(())}
    for x in loader_of(data):
        if x.max() > 3:
            high["max"] = x.max()
    if high:
        dist.all_reduce(high["loss"])


def how_many(data):
    high = []
    for x in loader_of(data):
        if x.max() > 3:
            high.append(x.max())
    dist.all_reduce(torch.tensor(len(high)))


def how_many_each(data):
    sizes = {}
    for number, x in enumerate(loader_of(data)):
        sizes[number] = len([row for row in x if row.max() > 3])
    for number in sizes:
        dist.all_reduce(torch.tensor(sizes[number]))


def sizes_of_the_ranks(data):
    high = []
    for x in loader_of(data):
        if x.max() > 3:
            high.append(x.max())
    sizes = [torch.zeros(()) for _ in range(dist.get_world_size())]
    dist.all_gather(sizes, torch.tensor(len(high)))
    most = int(max(sizes))
    padded = high + [torch.zeros(())] * (most - len(high))
    for number in range(most):
        dist.all_reduce(padded[number])


def always_some(data):
    high = {"loss": torch.zeros(())}
    for x in loader_of(data):
        if x.max() > 3:
            high["max"] = x.max()
    if len(high) > 0:
        dist.all_reduce(high["loss"])
    if len(high) != 0 and not len(high) == 0 and len(high) >= 1:
        dist.all_reduce(high["loss"])
