"""One of three backends is chosen by an option, one of them for a single process; its root saves."""

import argparse
from importlib import import_module

import torch


class Backend:
    NAME = None
    MODULE = None
    ROOT = 0

    def __init__(self):
        self.module = None
        self.ready = False

    def wrap(self, parser):
        return parser

    def has(self):
        try:
            self.module = import_module(self.MODULE)
        except ModuleNotFoundError:
            return False
        return True

    def begin(self):
        self._begin()
        self.ready = True

    def get_rank(self):
        assert self.ready
        return self._get_rank()

    def count(self):
        assert self.ready
        return self._count()

    def is_root(self):
        return self.get_rank() == self.ROOT


class Dummy(Backend):
    NAME = "Dummy"
    MODULE = "NO MODULE"

    def has(self):
        return True

    def _begin(self):
        pass

    def _get_rank(self):
        return self.ROOT

    def _count(self):
        return 1


class Deep(Backend):
    NAME = "DeepSpeed"
    MODULE = "deepspeed"

    def wrap(self, parser):
        if not self.has():
            parser.add_argument("--deepspeed", type=lambda _: False)
        else:
            parser = self.module.add_config_arguments(parser)
        parser.add_argument("--local_rank", type=int, default=-1)
        return parser

    def _begin(self):
        self.module.init_distributed()

    def _get_rank(self):
        return torch.distributed.get_rank()

    def _count(self):
        return torch.distributed.get_world_size()


class Horo(Backend):
    NAME = "Horovod"
    MODULE = "horovod.torch"

    def _begin(self):
        self.module.init()

    def _get_rank(self):
        return self.module.rank()

    def _count(self):
        return self.module.size()


DEFAULT = Dummy()
BACKENDS = [DEFAULT, Deep(), Horo()]


def chosen(args):
    if args.deepspeed:
        args.backend = Deep.NAME
    if not args.backend:
        return DEFAULT
    name = args.backend.lower()
    for one in BACKENDS:
        if one.NAME.lower() == name:
            if not one.has():
                raise ModuleNotFoundError(name)
            return one
    raise ValueError("unknown backend")


parser = argparse.ArgumentParser()
parser.add_argument("--backend", type=str, default=None)
parser.add_argument("--deepspeed", action="store_true")
for one in BACKENDS:
    parser = one.wrap(parser)
args = parser.parse_args()
backend = chosen(args)
backend.begin()


def using(kind):
    if isinstance(kind, str):
        return backend.NAME == kind
    return isinstance(backend, kind)


data = torch.utils.data.TensorDataset(torch.ones(100, 2))
if using(Horo):
    sampler = torch.utils.data.distributed.DistributedSampler(
        data, num_replicas=backend.count(), rank=backend.get_rank()
    )
else:
    sampler = None
loader = torch.utils.data.DataLoader(data, 8, shuffle=not sampler, sampler=sampler)

model = torch.nn.Linear(2, 2)


def save():
    if not backend.is_root():
        return
    torch.save(model.state_dict(), "model.pt")


for epoch in range(10):
    save()
