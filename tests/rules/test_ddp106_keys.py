"""DDP106 where ranks fill a dictionary or a set with what each finds in its own data."""

from __future__ import annotations

import textwrap

import pytest

from tests.rules.support import found_in

HEAD = """\
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler
from data import dataset, net

dist.init_process_group("gloo")
model = DDP(net)
loader = DataLoader(dataset, batch_size=4, sampler=DistributedSampler(dataset))
seen = {}
names = set()
for batch in loader:
"""
REDUCE = """\
for name in seen:
    dist.all_reduce(torch.tensor(seen[name]))
for name in names:
    dist.all_reduce(torch.zeros(1))
"""

FIRES = {
    "a part of the batch": 'seen[batch["name"]] = 1',
    "an attribute": "seen[batch.name] = 1",
    "each element of a part": 'for name in batch["names"]:\n    seen[name] = seen.get(name, 0) + 1',
    "beside other things": 'for name, x in zip(batch["names"], batch["x"]):\n    seen[name] = x',
    "of each sample": 'for one in batch["samples"]:\n    seen[one["id"]] = 1',
    "a number": 'seen[int(batch["label"].item())] = 1',
    "a set": 'names.add(batch["name"])',
}
SILENT = {
    "the names of what a model gives": "for name, loss in model(batch).items():\n    seen[name] = loss",
    "the names of the parts": "for name, part in batch.items():\n    seen[name] = part",
    "the names of a part's parts": 'for name in batch["sums"]:\n    seen[name] = batch["sums"][name]',
    "a name that is written out": 'seen["name"] = batch["name"]',
    "only this round's": 'seen = {}\n    seen[batch["name"]] = 1\n    seen = {}',
}


@pytest.mark.parametrize("name", FIRES)
def test_finds(name: str) -> None:
    body = textwrap.indent(textwrap.dedent(FIRES[name]), "    ")
    assert [one.code for one in found_in(f"{HEAD}{body}\n{REDUCE}", "DDP106")] == ["DDP106"]


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    body = textwrap.indent(SILENT[name], "    ") if not SILENT[name].startswith("seen = ") else f"    {SILENT[name]}"
    assert not found_in(f"{HEAD}{body}\n{REDUCE}", "DDP106")


LOOPS = {
    "its pairs": ("{}", 'seen.setdefault(batch["name"], []).append(1)', "_, one in seen.items()"),
    "its values": ("{}", 'seen[batch["name"]] = 1', "one in seen.values()"),
    "its keys": ("{}", 'seen[batch["name"]] = 1', "one in seen.keys()"),
    "in order": ("defaultdict(list)", 'seen[batch["name"]].append(1)', "one in sorted(seen.items())"),
    "counted": ("defaultdict(int)", 'seen[batch["name"]] += 1', "one in seen"),
}


def through(begun: str, filled: str, loop: str) -> list[str]:
    head = HEAD.replace("seen = {}", f"from collections import defaultdict\nseen = {begun}")
    program = f"{head}    {filled}\nfor {loop}:\n    dist.all_reduce(torch.zeros(1))\n"
    return [one.code for one in found_in(program, "DDP106")]


@pytest.mark.parametrize("name", LOOPS)
def test_ways_through_it(name: str) -> None:
    begun, filled, loop = LOOPS[name]
    assert through(begun, filled, loop) == ["DDP106"]
    assert through(begun, filled.replace('batch["name"]', '"loss"'), loop) == []


def test_what_all_have_told_each_other() -> None:
    body = '    seen[batch["name"]] = 1\nlengths = [None] * dist.get_world_size()\n'
    told = "dist.all_gather_object(lengths, seen)\nfor name in sorted({name for one in lengths for name in one}):\n"
    assert not found_in(f"{HEAD}{body}{told}    dist.all_reduce(torch.tensor(seen.get(name, 0)))\n", "DDP106")


HOOK = """\
import torch
import torch.distributed as dist
import lightning as L


class Count(L.Callback):
    def __init__(self):
        self.seen = {}

    def on_train_batch_end(self, trainer, module, outputs, batch, index):
        for name in batch["names"]:
            self.seen[name] = self.seen.get(name, 0) + 1
        for name in KEYS:
            dist.all_reduce(torch.tensor(self.seen[name]))
"""


@pytest.mark.parametrize(("keys", "found"), [("self.seen", ["DDP106"]), ("trainer.names", [])])
def test_the_batch_of_a_hook_is_each_ranks_own(keys: str, found: list[str]) -> None:
    assert [one.code for one in found_in(HOOK.replace("KEYS", keys), "DDP106")] == found
