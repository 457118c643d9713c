"""Rules that somebody writes with the guide *Write a rule of your own* and nothing else."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import shutil
import sys
from dataclasses import fields
from pathlib import Path

import pytest

import ddplint
from ddplint.rule import Event, Guard, Walk
from ddplint.rulebook.reference import rule_api

HERE = Path(__file__).parent
GUIDE = HERE.parent.parent / "docs" / "pages" / "guides" / "own-rules.md"
SCRIPT = """\
import torch
import torch.distributed as dist
from filelock import FileLock
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank = dist.get_rank()
model = DistributedDataParallel(torch.nn.Linear(1, 1))


def meet():
    dist.barrier()


"""
UNDER_LOCK = {
    "in the block": 'with FileLock("data.lock"):\n    dist.barrier()  # here\n',
    "held by a name": 'lock = FileLock("data.lock")\nwith lock:\n    dist.barrier()  # here\n',
}
NOT_UNDER_LOCK = {
    "behind the block": 'with FileLock("data.lock"):\n    torch.zeros(1)\ndist.barrier()\n',
    "a lock of its own": 'with FileLock(f"data{rank}.lock"):\n    dist.barrier()\n',
    "a lock of one rank": 'if rank == 0:\n    with FileLock("data.lock"):\n        torch.zeros(1)\ndist.barrier()\n',
    "nothing to wait for": 'with FileLock("data.lock"):\n    torch.save({}, "x.pt")\n',
}
STEP = "for batch in range(10):\n    loss = model(torch.zeros(1)).sum()\n    loss.backward()\n"


@pytest.fixture
def acme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with the guide's rule and one that was written after reading it, installed as the guide says."""
    package = tmp_path / "site" / "acme_rules"
    shutil.copytree(HERE / "acme_rules", package)
    (package / "barrier_every_step.py").write_text(block("acme_rules/barrier_every_step.py"))
    monkeypatch.syspath_prepend(str(package.parent))
    points = importlib.metadata.EntryPoints([importlib.metadata.EntryPoint("acme", "acme_rules", "ddplint.rules")])
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: points.select(group=group))
    for name in [name for name in sys.modules if name.startswith("acme_rules")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.chdir(tmp_path)
    return package


def block(title: str) -> str:
    found = re.search(rf'^```\w+ title="{re.escape(title)}"\n(.*?)^```$', GUIDE.read_text("utf-8"), re.M | re.S)
    assert found is not None, title
    return found[1]


def lines(program: str, code: str) -> list[int]:
    """The lines with findings; a walk that fails or is not whole fails the test."""
    Path("train.py").write_text(SCRIPT + program)
    report = ddplint.check(["train.py"], select=[code])
    assert not report.problems
    assert not report.errors
    return [one.place.range.start_line for one in report.findings]


def marked(program: str) -> list[int]:
    return [number for number, line in enumerate((SCRIPT + program).splitlines(), 1) if "# here" in line]


@pytest.mark.parametrize("program", UNDER_LOCK.values(), ids=UNDER_LOCK)
def test_a_new_kind_of_fault_is_found(acme: Path, program: str) -> None:
    assert lines(program, "ACM102") == marked(program)


def test_it_is_found_behind_calls(acme: Path) -> None:
    """Which the rule did nothing for."""
    assert lines('with FileLock("data.lock"):\n    meet()\n', "ACM102") == [12]


@pytest.mark.parametrize("program", NOT_UNDER_LOCK.values(), ids=NOT_UNDER_LOCK)
def test_its_look_alikes_are_left_alone(acme: Path, program: str) -> None:
    assert lines(program, "ACM102") == []


def test_the_rule_of_the_guide_does_what_the_guide_says(acme: Path) -> None:
    program = STEP + "    dist.barrier()  # here\n"
    assert lines(program, "ACM101") == marked(program)
    assert lines(STEP + "dist.barrier()\n", "ACM101") == []
    assert lines("for batch in range(10):\n    dist.barrier()\n", "ACM101") == []


def test_rules_of_others_need_the_api_and_few_lines(acme: Path) -> None:
    for path in acme.glob("*.py"):
        text = path.read_text("utf-8")
        assert len(text.splitlines()) < 100
        modules = {node.module or "" for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)}
        assert {
            name for name in modules if name.startswith("ddplint") and name.split(".")[:2] != ["ddplint", "rule"]
        } == set()


def test_the_guide_names_what_is_there() -> None:
    page = rule_api()
    table = GUIDE.read_text("utf-8").partition("## What there is to ask")[2].partition("## ")[0]
    kinds = {"event": Event, "walk": Walk, "guard": Guard}
    for owner, name in re.findall(r"\b(event|walk|guard)\.(\w+)", table):
        known = {*dir(kinds[owner]), *(one.name for one in fields(kinds[owner]))}
        assert name in known, f"{owner}.{name}"
    for name in re.findall(r"`([\w.]+)\(", table):
        assert name.startswith(("event.", "walk.", "one.")) or f"`{name}" in page, name


def test_the_reference_says_something_of_every_name() -> None:
    mute = [line for line in rule_api().splitlines() if re.match(r" *- `[\w.]+\(.*`:$", line.rstrip())]
    assert mute == []
