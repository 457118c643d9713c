"""Programs that train: what the oracle sees in them, and that ddplint says the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from textwrap import dedent, indent

import pytest

from tests.fuzz.rendezvous import World
from tests.fuzz.tool import Alarm, Answer
from tests.fuzz.trained.__main__ import Judged, judge
from tests.fuzz.trained.grammar import trained_program
from tests.fuzz.trained.oracle import Truth, truth

PROGRAMS = 150

HEAD = """
import random
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(4, 4), nn.Linear(4, 4)
        self.leave_out = False
    def forward(self, x):
        return self.body(x) if self.leave_out else self.head(self.body(x))
dist.init_process_group("gloo")
rank = dist.get_rank()
own = torch.Generator().manual_seed(rank)
torch.manual_seed(0)
model = Net()
def train(model, optimizer, steps=2):
    for _ in range(steps):
        x = torch.randn(4, generator=own)
        loss = (model(x) - x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""
SGD = "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)"
FINE = {
    "wrapped": f"model = DistributedDataParallel(model)\n{SGD}\ntrain(model, optimizer)",
    "optimizer before the wrapper": f"{SGD}\nmodel = DistributedDataParallel(model)\ntrain(model, optimizer)",
    "sharded": f"fully_shard(model.body)\nfully_shard(model)\n{SGD}\ntrain(model, optimizer)",
    "changed before the wrapper": f"""
        if rank == 0:
            nn.init.zeros_(model.head.weight)
        model = DistributedDataParallel(model)
        {SGD}
        train(model, optimizer)
        """,
    "seeded by rank": "torch.manual_seed(rank)\n(model(torch.randn(4)) * 1).backward()",
    "shares of one order": "for item in list(range(16))[rank::4]:\n    print(item)",
    "unused parts are allowed": f"""
        model.leave_out = rank == 0
        model = DistributedDataParallel(model, find_unused_parameters=True)
        {SGD}
        train(model, optimizer)
        """,
}
FAULTY = {
    "nobody wraps": ("drift", f"{SGD}\ntrain(model, optimizer)"),
    "one part is wrapped": (
        "drift",
        f"model.body = DistributedDataParallel(model.body)\n{SGD}\ntrain(model, optimizer)",
    ),
    "changed behind the wrapper": (
        "drift",
        f"""
        model = DistributedDataParallel(model)
        if rank == 0:
            nn.init.zeros_(model.module.head.weight)
        {SGD}
        train(model, optimizer)
        """,
    ),
    "optimizer before it is sharded": ("dead", f"{SGD}\nfully_shard(model)\ntrain(model, optimizer)"),
    "left out by one": (
        "hang",
        f"model.leave_out = rank == 0\nmodel = DistributedDataParallel(model)\n{SGD}\ntrain(model, optimizer)",
    ),
    "another layer behind the wrapper": (
        "hang",
        f"model = DistributedDataParallel(model)\nmodel.module.head = nn.Linear(4, 4)\n{SGD}\ntrain(model, optimizer)",
    ),
    "a unit left out by one": (
        "hang",
        f"model.leave_out = rank == 0\nfully_shard(model.head)\nfully_shard(model)\n{SGD}\ntrain(model, optimizer)",
    ),
    "one stream": ("alike", "(model(torch.randn(4)) * 1).backward()"),
    "shares of own orders": (
        "shares",
        """
        items = list(range(16))
        random.seed(rank)
        random.shuffle(items)
        for item in items[rank::4]:
            print(item)
        """,
    ),
}


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    made = World()
    yield made
    made.close()


def _truth(world: World, body: str) -> Truth:
    found = truth(world, f"{HEAD}{indent(dedent(body), '')}\n")
    assert not found.errors
    return found


@pytest.mark.parametrize("body", FINE.values(), ids=FINE)
def test_what_goes_well_is_fine(world: World, body: str) -> None:
    assert not _truth(world, body).faults


@pytest.mark.parametrize(("kind", "body"), FAULTY.values(), ids=FAULTY)
def test_what_goes_wrong_is_seen(world: World, kind: str, body: str) -> None:
    assert set(_truth(world, body).faults) == {kind}


def test_generated_programs_run_and_show_every_fault(world: World) -> None:
    truths = [truth(world, trained_program(seed)) for seed in range(PROGRAMS)]
    assert not {error for one in truths for error in one.errors}
    assert 0.3 < sum(bool(one.faults) for one in truths) / PROGRAMS < 0.7
    assert Counter(kind for one in truths for kind in one.faults).keys() == {"hang", "drift", "dead", "alike", "shares"}


def test_silence_and_noise_are_noticed(world: World) -> None:
    found = _truth(world, FAULTY["one stream"][1])
    assert Judged(0, "", found, Answer()).missed == ["alike"]
    wrong = Alarm("DDP604", 1, "", frozenset())
    assert Judged(0, "", found, Answer((wrong,))).false == [wrong]


@pytest.mark.fuzz
def test_ddplint_agrees_on_programs_that_train(world: World) -> None:
    judged = judge(world, [trained_program(seed) for seed in range(PROGRAMS)], range(PROGRAMS))
    wrong = [(one.seed, one.missed, one.false) for one in judged if one.missed or one.false]
    assert not wrong
