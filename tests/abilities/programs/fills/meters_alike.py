from collections import defaultdict, deque

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


class Meter:
    def __init__(self, window=20):
        self.recent = deque(maxlen=window)
        self.total = 0.0
        self.count = 0

    def update(self, value, n=1):
        self.recent.append(value)
        self.total += value * n
        self.count += n

    def synchronize(self):
        both = torch.tensor([self.count, self.total])
        dist.all_reduce(both)
        self.count, self.total = both.tolist()


class Meters:
    def __init__(self):
        self.meters = defaultdict(Meter)

    def update(self, **values):
        for name, value in values.items():
            self.meters[name].update(value)

    def synchronize(self):
        for meter in self.meters.values():
            meter.synchronize()

    def log_every(self, loader, step):
        for number, x in enumerate(loader):
            yield x
            if number % step == 0:
                print(self.meters)


class Named:
    def __init__(self, names):
        self.sums = {name: [] for name in names}

    def add(self, name, value):
        self.sums[name].append(value)

    def reduce(self):
        result = {}
        for name in sorted(self.sums):
            mean = torch.tensor(self.sums[name]).mean()
            dist.all_reduce(mean)
            result[name] = mean.item()
        return result


class Agreed:
    def __init__(self):
        self.sums = {}

    def add(self, name, value):
        self.sums.setdefault(name, []).append(value)

    def reduce(self):
        every = [None] * dist.get_world_size()
        dist.all_gather_object(every, self.sums)
        return {name: sum(sum(one.get(name, [])) for one in every) for part in every for name in part}


def start(data):
    dist.init_process_group("gloo")
    return DataLoader(data, sampler=DistributedSampler(data, drop_last=True))


def keys_of_a_loss(data):
    meters = Meters()
    for x in start(data):
        losses = {"loss": x.mean(), "high": torch.zeros(())}
        if x.max() > 0:
            losses["high"] = x.max()
        meters.update(**losses)
    meters.synchronize()


def keys_of_a_model(data, model):
    meters = Meters()
    for x in meters.log_every(start(data), 10):
        losses = model(x)
        meters.update(loss=sum(losses.values()).item(), **losses)
        meters.update(lr=0.1)
    meters.synchronize()


def keys_by_option(data, options):
    meters = Meters()
    for x in start(data):
        meters.update(loss=x.mean())
        if options.accuracy:
            meters.update(accuracy=x.mean())
    meters.synchronize()


def known_names(data):
    named = Named(["cat", "dog"])
    for batch in start(data):
        for kind, score in zip(batch["kinds"], batch["scores"]):
            named.add(kind, score)
    print(named.reduce())


def gathered(data):
    agreed = Agreed()
    for batch in start(data):
        for kind, score in zip(batch["kinds"], batch["scores"]):
            agreed.add(kind, score)
    print(agreed.reduce())


def every_step(data):
    named = Named(["loss", "high"])
    for x in start(data):
        named.add("loss", x.mean())
        if x.max() > 3:
            named.add("high", x.max())
    print(named.reduce())
