"""Generated programs with functions that only compute: walked each time or not, ranks say the same to each other."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from ddplint.analysis.summaries import computed
from ddplint.source.file import SourceFile
from tests.snapshot.taking import checked

HEAD = """\
import random
import sys
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
options = sys.argv
limit = 3
known = {"low": 1, "high": 2}

class Meter:
    def __init__(self, start):
        self.total = start
        self.steps = 2

    def mean(self, counts):
        found = 0
        for count in counts:
            found = found + self.total / self.steps
        return found

    def add(self, more):
        self.total = self.total + more
"""
LINES = (
    "found = {0}",
    "found = found + 1",
    "found = limit",
    "found = known.get({0}, found)",
    "for one in range(3): found = found + one",
    "for one in ({0}, {1}): found = one or found",
    "while found is None: found = {1}",
    "if {0}: found = {1}",
    "if {0} is None: return {1}",
    "if {0} == {1}: return None",
    "if isinstance({0}, int): return found",
    "if not {1}: raise ValueError({0})",
    "found = [{0}, found]",
    "found = ({0}, {1})",
    "found = {{'one': {0}, 'more': found}}",
    "try: found = int({0})\n    except ValueError: found = {1}",
    "found = [one for one in ({0}, found) if one]",
    "found = str({0})",
    "found = {call}",
)
GIVEN = (
    *("1", "2", "True", "None", "'low'", "limit", "rank", "rank == 0", "options", "options[1]", "len(options)", "kept"),
    *("random.random()", "meter.total", "(1, rank)", "[options[1]]", "first", "second", "torch.ones(1)"),
)
USES = (
    "if {0}: dist.barrier()",
    "if rank == 0 and {0}: dist.barrier()",
    "if {0} == {1}: dist.barrier()",
    "for _ in range(2 if {0} else 3): dist.barrier()",
    "if {0} is {1}: kept.append({0})",
    "for one in kept: dist.all_reduce(one)",
    "kept.append({0})",
    "meter.add({0})",
    "limit = {0}",
    "if {0} is not None: dist.all_reduce({1})",
)


def function(pick: Random, number: int) -> str:
    """A function of two parameters that computes something of them, and of what is around it."""
    inner = f"compute{pick.randrange(number)}({{1}}, {{0}})" if number else "len(str({0}))"
    lines = [one.format("a", "b", call=inner.format("a", "b")) for one in pick.sample(LINES, pick.randint(2, 6))]
    return (
        f"\ndef compute{number}(a, b=None):\n    found = 0\n    for _ in (a, b): found = found + 1\n    "
        + "\n    ".join([*lines, "return found"])
        + "\n"
    )


def program(seed: int) -> str:
    """A program that calls such functions several times, and asks what they gave."""
    pick = Random(seed)
    count = pick.randint(1, 4)
    body = ["kept = []", "meter = Meter(options[1])", "first = second = None"]
    calls: list[str] = []
    for _ in range(pick.randint(8, 14)):
        given = pick.sample(GIVEN, 2)
        call = f"compute{pick.randrange(count)}({', '.join(given)})"
        if pick.random() < 0.3:
            call = f"meter.mean({given[0]})"
        if calls and pick.random() < 0.5:
            call = pick.choice(calls)
        calls.append(call)
        body.append(f"{pick.choice(('first', 'second'))} = {call}")
        if pick.random() < 0.6:
            body.append(pick.choice(USES).format(*pick.sample(("first", "second", given[0]), 2)))
    return HEAD + "".join(function(pick, number) for number in range(count)) + "\n" + "\n".join(body) + "\n"


def said(source: str) -> tuple[list[Any], int]:
    """What ranks say to others in a program and where they diverge, and in how many steps that was walked."""
    record = checked([SourceFile("train.py", source.encode())])
    entries = record["entries"]
    told = [(one["entry"], one["trace"], one["divergences"], one["limits"]) for one in entries]
    return [told, record["findings"]], sum(one["steps"] for one in entries)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs without a project around them."""
    (tmp_path / "pyproject.toml").write_text("")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("start", [0, 20])
def test_what_was_read_before_gives_the_same(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = [program(seed) for seed in range(start, start + 10)]
    monkeypatch.setattr(computed, "shape_of", lambda *_: None)
    once = [said(one) for one in programs]
    monkeypatch.setattr(computed, "given", lambda *_: None)
    always = [said(one) for one in programs]
    for source, first, second in zip(programs, once, always, strict=True):
        assert first[0] == second[0], source
    assert sum(steps for _, steps in once) < sum(steps for _, steps in always)


@pytest.mark.parametrize("start", [0, 20])
def test_what_is_named_is_never_more_than_what_is_walked(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A result that is only named may be anything of its kind: nothing is found that a walk of it would not find."""
    programs = [program(seed) for seed in range(start, start + 10)]
    once = [said(one)[0][1] for one in programs]
    monkeypatch.setattr(computed, "given", lambda *_: None)
    always = [said(one)[0][1] for one in programs]
    for source, first, second in zip(programs, once, always, strict=True):
        assert [one["code"] for one in first] == [one["code"] for one in second], source
