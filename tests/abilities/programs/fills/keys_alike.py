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
        losses = {"loss": x.mean(), "acc": x.sum()}
        if (x > 0).any():
            losses["acc"] = x.sum() * 2
        shown = {}
        for name, value in losses.items():
            shown[name] = value.detach()
        for value in shown.values():
            dist.all_reduce(value)


def copied_by_a_loop_over_a_fixed_list(data, names):
    for x in loader_of(data):
        losses = {"loss": x.mean()}
        if (x > 0).any():
            losses["acc"] = x.sum()
        shown = {}
        for name in names:
            shown[name] = losses.get(name, torch.zeros(()))
        for value in shown.values():
            dist.all_reduce(value)


def filled_by_each_batch(data):
    sums = {}
    for x in loader_of(data):
        sums["loss"] = x.mean()
        sums["acc"] = x.sum()
    for value in sums.values():
        dist.all_reduce(value)


def filled_by_the_model(data, model):
    sums = defaultdict(float)
    for x in loader_of(data):
        for name, loss in model(x).items():
            sums[name] += loss.item()
    for name in sorted(sums):
        dist.all_reduce(torch.tensor(sums[name]))


def updated(data):
    for x in loader_of(data):
        losses = {"loss": x.mean(), "acc": x.mean()}
        if (x > 0).any():
            losses.update(acc=x.sum())
        for value in losses.values():
            dist.all_reduce(value)


def updated_by_another(data, extra):
    for x in loader_of(data):
        losses = {"loss": x.mean()}
        losses.update(extra)
        for value in losses.values():
            dist.all_reduce(value)


def updated_by_a_model(data, model):
    for x in loader_of(data):
        losses = {"loss": x.mean()}
        losses.update(model(x))
        for value in losses.values():
            dist.all_reduce(value)


def updated_by_option(data, args):
    for x in loader_of(data):
        losses = {"loss": x.mean()}
        if args.accuracy:
            losses |= {"acc": x.sum()}
        for value in losses.values():
            dist.all_reduce(value)


def updated_in_place(data):
    for x in loader_of(data):
        losses = {"loss": x.mean(), "acc": x.sum()}
        if x.max().item() > 3:
            losses |= {"acc": x.sum()}
        for value in losses.values():
            dist.all_reduce(value)


def defaulted(data):
    for x in loader_of(data):
        losses = {"loss": x.mean()}
        if x.max().item() > 3:
            losses["acc"] = x.sum()
        losses.setdefault("acc", torch.zeros(()))
        for value in losses.values():
            dist.all_reduce(value)


def both_arms(data):
    for x in loader_of(data):
        losses = {}
        if x.max() > 0:
            losses["high"] = x.sum()
        else:
            losses["high"] = x.mean()
        for value in losses.values():
            dist.all_reduce(value)


def other_names_as_many(data):
    count = {"high": 0, "low": 0}
    for x in loader_of(data):
        count["high" if x.max() > 0 else "low"] += 1
    for n in count.values():
        dist.all_reduce(torch.tensor(n))


def counted(data):
    count = {kind: 0 for kind in ("cat", "dog")}
    for batch in loader_of(data):
        for kind in batch["kinds"]:
            count[kind] += 1
    for kind, n in count.items():
        dist.all_reduce(torch.tensor(n))


def counted_in_a_fixed_list(data, kinds):
    count = {kind: 0 for kind in kinds}
    for batch in loader_of(data):
        for kind in batch["kinds"]:
            count[kind] += 1
    for kind in kinds:
        dist.all_reduce(torch.tensor(count[kind]))


def counted_and_agreed(data):
    count = defaultdict(int)
    for batch in loader_of(data):
        for kind in batch["kinds"]:
            count[kind] += 1
    every = [None] * dist.get_world_size()
    dist.all_gather_object(every, dict(count))
    total = Counter()
    for one in every:
        total.update(one)
    for kind in sorted(total):
        dist.all_reduce(torch.tensor(total[kind]))


def keys_agreed(data):
    count = defaultdict(int)
    for batch in loader_of(data):
        for kind in batch["kinds"]:
            count[kind] += 1
    every = [None] * dist.get_world_size()
    dist.all_gather_object(every, list(count))
    for kind in sorted({one for part in every for one in part}):
        dist.all_reduce(torch.tensor(count[kind]))


def grouped_without_talking(data):
    groups = {}
    for batch in loader_of(data):
        for kind, value in zip(batch["kinds"], batch["values"]):
            groups.setdefault(kind, []).append(value)
    means = {kind: torch.stack(parts).mean() for kind, parts in groups.items()}
    dist.all_reduce(sum(means.values()))


def filtered_by_name(data):
    for x in loader_of(data):
        losses = {"a": x.mean(), "b": x.sum()}
        kept = {name: value for name, value in losses.items() if name.startswith("a")}
        for value in kept.values():
            dist.all_reduce(value)


def merged(data, extra):
    for x in loader_of(data):
        losses = {"loss": x.mean(), **extra}
        for value in losses.values():
            dist.all_reduce(value)


def removed_on_all(data):
    for x in loader_of(data):
        losses = {"loss": x.mean(), "acc": x.sum()}
        del losses["acc"]
        for value in losses.values():
            dist.all_reduce(value)


def removed_if_there(data):
    for x in loader_of(data):
        losses = {"loss": x.mean()}
        if x.max() > 0:
            losses["acc"] = x.sum()
        losses.pop("acc", None)
        for value in losses.values():
            dist.all_reduce(value)


def first_only(data):
    for x in loader_of(data):
        losses = {"loss": x.mean()}
        if x.max() > 0:
            losses["acc"] = x.sum()
        dist.all_reduce(losses["loss"])


def in_a_tensor(data):
    sums = {"loss": torch.zeros(()), "high": torch.zeros(())}
    for x in loader_of(data):
        if x.max() > 3:
            sums["high"] = x.max()
    dist.all_reduce(torch.stack(list(sums.values())))


def summed(data):
    sums = []
    for x in loader_of(data):
        if x.max() > 3:
            sums.append(x.max())
    dist.all_reduce(torch.tensor([sum(sums), len(sums)]))


def cleared(data):
    sums = {}
    for x in loader_of(data):
        if x.max() > 3:
            sums["high"] = x.max()
        sums.clear()
        for value in sums.values():
            dist.all_reduce(value)
