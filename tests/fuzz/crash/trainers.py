"""Whole trainers: imports, settings, helpers with decorators, a loop, and whatever else people put into one file."""

from __future__ import annotations

import random

from tests.fuzz.crash.expressions import fill
from tests.fuzz.crash.statements import block
from tests.fuzz.draft import Draft, Lines, indent

IMPORTS = """\
from __future__ import annotations
import argparse, asyncio, collections, contextlib, dataclasses, datetime, functools, itertools, json, math, os, pickle
import random, shutil, subprocess, sys, time
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
import numpy as np
import torch
import torch.distributed as dist
from accelerate import Accelerator
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler
from project.evaluation import evaluate, logger
from project import *
import unseen
"""
CONFIG = """\
@dataclass(frozen=<e>, order=True)
class Config:
    limit: float = <n>
    name: str = <t>
    parts: list = field(default_factory=lambda: <c>)
    best: "float | None" = field(default=<n>)
    def __post_init__(self):
        self.limit = <e>
"""
METER = """\
class Meter:
    best = <n>
    __slots__ = ("total", "count")
    def __init__(self, best=<n>, *rest, mode=<t>, **more):
        self.best, self.count, self.total = best, <n>, <n>
        self.sign = {"min": 1, "max": -1}.get(mode, <n>)
    @property
    def average(self): return self.total / self.count if <k> else <e>
    @staticmethod
    def better(a, b=<e>): return a < b
    @classmethod
    def made(cls, *a): return cls(*a)
    def __call__(self, value):
        if value < self.best - <n>:
            self.best = value
            return True
        self.count += <n>
        return self.count >= <n>
    def __len__(self): return <n>
    def __iter__(self): yield from <c>
"""
HELPERS = """\
def best_of(value, so_far=<n>, *, worse=<e>):
    return min(value, so_far) if <k> else worse
def keep(x):
    def kept(y=<e>, *args, **kwargs):
        nonlocal x
        x = <e>
        return x
    return kept
def decorated(amount):
    def outer(function):
        @functools.wraps(function)
        def inner(*args, **kwargs):
            if <k>:
                return function(*args, **kwargs)
            return <e>
        return inner
    return outer
@contextlib.contextmanager
def section(value=<e>):
    yield value, <e>
def setup(backend=<t>):
    dist.init_process_group(backend, timeout=timedelta(seconds=<n>))
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]) % <n>)
    return dist.get_rank(), dist.get_world_size()
"""
MAIN = """\
parser = argparse.ArgumentParser(description=<t>)
parser.add_argument("--epochs", type=int, default=<n>)
parser.add_argument("--lr", type=float, default=<e>)
parser.add_argument("--out", default=<t>)
parser.add_argument("--resume", action="store_true")
args = parser.parse_args()
rank, world_size = setup()
is_main = rank == 0
cfg, meter, accelerator = Config(), Meter(), Accelerator()
self_best, history, names, seen = [<e>], <c>, {}, <e>
best, loss, metric, score, total, epoch, step, batch = <n>, <n>, <n>, <n>, <n>, <n>, <n>, <n>
data = list(range(<n>))
sampler = DistributedSampler(data, shuffle=<e>)
loader = DataLoader(data, batch_size=<n>, sampler=sampler)
model = DDP(torch.nn.Linear(<n>, <n>).to(rank))
"""
LOOP = """\
for epoch in range(<n>):
    sampler.set_epoch(epoch)
    for step, batch in enumerate(loader):
        loss = model(batch).sum()
        loss.backward()
<b>
    metric = evaluate(model, epoch)
    if metric < best:
        best = metric
<s>
    if meter(metric): break
"""


def random_trainer(seed: int) -> str:
    """The trainer of one seed."""
    draft = Draft(random.Random(seed).randint)
    parts = [part for part in (CONFIG, METER, HELPERS) if draft.maybe(50)]
    lines: Lines = [IMPORTS, f"global_best = [{fill(draft, '<e>', 2)}]"]
    lines += [fill(draft, part, 2) for part in parts]
    lines += ["def main():", *indent(_body(draft)), "", *_tail(draft)]
    return "\n".join(lines) + "\n"


def _body(draft: Draft) -> Lines:
    lines = [*fill(draft, MAIN, 1).splitlines(), *block(draft, 2, 4)]
    for line in fill(draft, LOOP, 1).splitlines():
        if line.strip() == "<b>" or line.strip() == "<s>":
            lines += indent(indent(block(draft, 2)))
        else:
            lines.append(line)
    return [*lines, *block(draft, 2, 3), f"return {fill(draft, '<e>', 2)}"]


def _tail(draft: Draft) -> Lines:
    if draft.maybe(20):
        return ["asyncio.run(main())"]
    return ['if __name__ == "__main__":', *indent(["main()", *(block(draft, 1) if draft.maybe(30) else [])])]
