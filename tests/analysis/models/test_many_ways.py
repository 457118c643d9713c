"""Calls of libraries with many arguments that each may be one of several: few answers, and none is forgotten."""

from __future__ import annotations

from typing import Any

import pytest

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.values import Value
from ddplint.analysis.models import results
from tests.rules.support import found_in

PROGRAM = """\
import math
import torch
import torch.distributed as dist
from data import dataset, options
from torch.utils.data import DataLoader, DistributedSampler

model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 3))
shared = torch.load("shared.pt")
loader = DataLoader(dataset, sampler=DistributedSampler(dataset))
for batch in loader:
    output = model(batch)
{work}
    if {test}: continue
    output.mean().backward()
"""


def codes(values: list[str], test: str) -> list[str]:
    work = "\n".join(f"    a{number} = {value}" for number, value in enumerate(values))
    return [one.code for one in found_in(PROGRAM.format(work=work, test=test), "DDP1")]


def choices(count: int, first: str, second: str) -> list[str]:
    """Values that are one of two things, as an option of their own says."""
    return [f"{first} if options.o{number} else {second}" for number in range(count)]


def call(count: int) -> str:
    return f"math.hypot({', '.join(f'a{number}' for number in range(count))}) > 3"


@pytest.mark.parametrize("count", [1, 2, 7, 12])
def test_what_is_made_of_many_that_may_be_each_ranks_own_may_be(count: int) -> None:
    assert codes(choices(count, "output.mean()", "output.sum()"), call(count)) == ["DDP104"]


@pytest.mark.parametrize("count", [1, 12])
def test_what_is_made_of_many_that_all_have_is_alike(count: int) -> None:
    assert codes(choices(count, "shared[1]", "shared[0]"), call(count)) == []


def test_one_option_for_all_has_two_answers() -> None:
    """With one option the ranks' own of one argument does not meet what all have in the other."""
    values = [f"output.mean() if options.own else shared[{number}]" for number in range(12)]
    assert codes(values, f"not options.own and {call(12)}") == []


def test_there_are_few_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    real = results.result_of

    def counted(w: Any, head: tuple[object, ...], args: Any, node: Any) -> Value:
        asked.append(1)
        return real(w, head, args, node)

    monkeypatch.setattr(results, "result_of", counted)
    codes(choices(12, "output.mean()", "shared[0]"), call(12))
    assert len(asked) < 6 * limits.CALL_PRODUCT


STEPS = """\
import sys
import torch
import torch.distributed as dist
from options import given

dist.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 3))
loaded = int(given.step) if given.resume else -1
first = loaded if loaded >= 0 else 0
last = {last}
for step in range(first, last):
    if step > first and step % 10 == 0:
        print(model(torch.zeros(2)))
    model(torch.zeros(2)).sum().backward()
"""


@pytest.mark.parametrize("rung", [limits.EXACT, *limits.COARSER])
@pytest.mark.parametrize(
    ("last", "found"), [("given.steps or 19073", []), ("dist.get_rank() + 5", ["DDP104", "DDP106"])]
)
def test_a_range_stays_one(
    rung: limits.Precision, last: str, found: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Steps are counted: what is gone over is no data that each rank would have for itself."""
    monkeypatch.setattr(limits._Present, "precision", rung)
    assert sorted({one.code for one in found_in(STEPS.format(last=last), "DDP1")}) == found
