"""A sample of the crash fuzzing (``python -m tests.fuzz.crash``): nothing that people write is an error of ours."""

from __future__ import annotations

import ast
import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from ddplint.util import figures
from tests.fuzz.crash.__main__ import Result, main
from tests.fuzz.crash.asked import asked
from tests.fuzz.crash.trainers import random_trainer

SEEDS = range(60)
FIXED = range(100, 112)

HEAD = """\
import os
import torch
import torch.distributed as dist
from project import evaluate

dist.init_process_group("gloo")
rank = dist.get_rank()
"""
IDIOMS = {
    "best so far": 'best = float("inf")\nfor epoch in range(9):\n    loss = evaluate()\n    if loss < best:\n'
    '        best = loss\n        torch.save({}, "best.pt")\n        os.makedirs("a")\n        torch.load("best.pt")\n',
    "the other way": 'best = -float("inf")\nif evaluate() > best:\n    torch.save({}, "best.pt")\n',
    "no number": 'if evaluate() <= float("nan"):\n    torch.save({}, "best.pt")\n',
    "a number of any length": f'torch.save({{}}, "best" + str({"7" * 5000}))\n',
    "a range without end": 'for step in range(10 ** 18 * 10):\n    torch.save({}, "best.pt")\n',
    "a field of endless width": 'torch.save({}, "%d" % float("inf"))\ntorch.save({}, "{:>999999999999}".format(1))\n',
    "rank 0 in a range without end": "if rank == 0:\n    for _ in range(10**30):\n        evaluate()\ndist.barrier()\n",
    "an empty tuple in a list": 'rows = [(), (1, 2)]\ntorch.save(rows[evaluate()], "best.pt")\n',
}

WRITTEN = (
    'float("inf") | nan | -(10**30) | match  | :=  | async def | @dataclass | *rest | 🙂 | for one in | **{ | [] | {}'
)


@pytest.fixture
def numbers_of_any_length() -> Iterator[None]:
    before = sys.get_int_max_str_digits() if hasattr(sys, "get_int_max_str_digits") else None
    if before is not None:
        sys.set_int_max_str_digits(0)
    yield
    if before is not None:
        sys.set_int_max_str_digits(before)


@pytest.mark.parametrize("body", IDIOMS.values(), ids=IDIOMS)
def test_idioms(body: str) -> None:
    answer = asked([HEAD + body])
    assert answer.crashes == ()
    assert answer.findings


def test_trainers_are_python(numbers_of_any_length: None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert all(ast.parse(random_trainer(seed)).body for seed in range(150))


def test_they_have_what_people_write() -> None:
    every = "\n".join(random_trainer(seed) for seed in range(60))
    for what in WRITTEN.split(" | "):
        assert what in every, what


def test_a_sample_of_trainers() -> None:
    result = Result()
    result.add(SEEDS, fixing=False)
    result.add(FIXED, fixing=True)
    assert result.crashes == {}
    assert result.findings > len(SEEDS)


def test_a_crash_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(figures, "written", lambda text, base=10: int(text, base))
    monkeypatch.setattr(figures, "count_of", lambda ends: len(range(*ends)))
    monkeypatch.setattr("tests.fuzz.crash.__main__.bounded", lambda: None)
    record = tmp_path / "record.json"
    assert main(["--count", "20", f"--record={record}"]) == 1
    assert json.loads(record.read_text())["crashes"]
