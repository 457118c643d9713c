"""Which functions only compute, and what they hang on."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.project.index.purity import Reads
from tests.project.index import index_of, write

LOOP = "    for one in values:\n        {line}\n    return values\n"


def reads(folder: Path, text: str, name: str = "run", owner: str = "") -> Reads | None:
    """What a function of a small program hangs on."""
    write(folder, main=text)
    index = index_of(folder)
    return index.reads_of(index.files.every()[0].file, owner, name)


@pytest.mark.parametrize(
    "line",
    ["dist.barrier()", "open('a', 'w')", "other.count = one", "yield one", "eval(one)"],
)
def test_a_function_that_does_more_is_none(tmp_path: Path, line: str) -> None:
    text = f"import torch.distributed as dist\n\n\ndef run(values, other):\n{LOOP.format(line=line)}"
    assert reads(tmp_path, text) is None


def test_a_function_that_may_raise_says_so(tmp_path: Path) -> None:
    found = reads(tmp_path, f"def run(values, other):\n{LOOP.format(line='raise ValueError(one)')}")
    assert found is not None
    assert found.ends


def test_a_few_lines_are_walked(tmp_path: Path) -> None:
    assert reads(tmp_path, "def run(a):\n    return a + 1\n") is None


def test_what_it_reads_of_others_is_named(tmp_path: Path) -> None:
    text = (
        "table = load()\n\n\ndef inner(a):\n    return a.weight * table.rows\n\n\n"
        f"def run(values):\n{LOOP.format(line='values.add(inner(one))')}"
    )
    found = reads(tmp_path, text)
    assert found is not None
    assert {"weight", "rows"} <= found.attributes
    assert [name for _, name in found.globals] == ["table"]
    assert found.given == ((0, ".add", True),)


def test_what_a_new_object_holds_changes_nothing(tmp_path: Path) -> None:
    text = (
        "class Point:\n    def __init__(self, x):\n        self.x = x\n\n    def move(self):\n        self.x = 1\n\n\n"
        f"def run(values):\n{LOOP.format(line='made = Point(one)')}\n\n"
        f"def moved(values):\n{LOOP.format(line='Point(one).move()')}"
    )
    text += "\n\ndef asked(point):\n    return point.x\n"
    assert reads(tmp_path, text) is not None
    assert reads(tmp_path, text, "moved") is None


LAZY = (
    "class Table:\n    def __init__(self):\n        self.kept = None\n\n    def run(self, values):\n"
    "        if self.kept is None:\n            self.kept = [one * one for one in values]\n{more}"
    "        for one in self.kept:\n            values.add(one)\n        return values\n"
)


def test_what_an_object_keeps_for_itself_is_no_change(tmp_path: Path) -> None:
    found = reads(tmp_path, LAZY.format(more=""), owner="Table")
    assert found is not None
    assert found.kept == {"kept"}


@pytest.mark.parametrize(
    ("more", "outside"),
    [
        ("", "def asked(table):\n    return table.kept\n"),
        ("", "def asked(table):\n    return getattr(table, 'kept')\n"),
        ("", "def told(table):\n    table.kept = None\n"),
        ("        values.count = 1\n", ""),
        ("        self.values = values\n", ""),
        ("        self.kept[0] = 1\n", ""),
    ],
    ids=["read elsewhere", "read by its name", "set elsewhere", "of another object", "never made", "in a container"],
)
def test_what_others_may_see_is_a_change(tmp_path: Path, more: str, outside: str) -> None:
    assert reads(tmp_path, LAZY.format(more=more) + "\n\n" + outside, owner="Table") is None
