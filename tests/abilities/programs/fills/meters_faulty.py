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
            meter.synchronize()  # expect: DDP106


class Named:
    def __init__(self):
        self.sums = {}

    def add(self, name, value):
        if name not in self.sums:
            self.sums[name] = []
        self.sums[name].append(value)

    def reduce(self):
        result = {}
        for name in sorted(self.sums):
            mean = torch.tensor(self.sums[name]).mean()
            dist.all_reduce(mean)  # expect: DDP106
            result[name] = mean.item()
        return result


def start(data):
    dist.init_process_group("gloo")
    return DataLoader(data, sampler=DistributedSampler(data, drop_last=True))


def keys_of_a_loss(data):
    meters = Meters()
    for x in start(data):
        losses = {"loss": x.mean()}
        if x.max() > 0:
            losses["high"] = x.max()
        meters.update(**losses)
    meters.synchronize()


def keys_of_a_batch(data):
    named = Named()
    for batch in start(data):
        for kind, score in zip(batch["kinds"], batch["scores"]):
            named.add(kind, score)
    print(named.reduce())


def a_key_now_and_then(data):
    named = Named()
    for x in start(data):
        named.add("loss", x.mean())
        if x.max() > 3:
            named.add("high", x.max())
    print(named.reduce())
