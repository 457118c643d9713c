"""Numbers that are made of what a program says, and that nothing else makes any."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from ddplint.util import figures

TOP = Path(__file__).parent.parent.parent
MAKERS = frozenset({"float", "int", "round", "divmod", "pow", "chr"})
ROOMS = ("ddplint/analysis", "ddplint/fixing", "ddplint/project", "rules/ddplint_rules")


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, 1.5, "3", None, 10**30, 1e300, 1j, b"1", (1,)])
def test_what_is_no_whole_number(value: object) -> None:
    assert figures.whole(value) is None


@pytest.mark.parametrize(("value", "number"), [(3, 3), (3.0, 3), (-0.0, 0), (True, 1), (-(2**64), -(2**64))])
def test_whole_numbers(value: object, number: int) -> None:
    assert figures.whole(value) == number


@pytest.mark.parametrize("text", ["", "²", "1.5", "x", "9" * 5000, "0x" + "f" * 5000, "9" * 30])
def test_what_spells_no_number(text: str) -> None:
    assert figures.written(text) is None
    assert figures.written(text, 0) is None


def test_numbers_as_python_writes_them() -> None:
    assert [figures.written(text, 0) for text in ("1_000", "0x1F", "0b11", "007")] == [1000, 31, 3, None]
    assert [figures.decimal(text) for text in ("1_0", "0x10", "1.5e3", "1e999")] == [10.0, 16.0, 1500.0, math.inf]
    assert figures.decimal("one") is None
    assert figures.decimal("9" * 5000) == math.inf


def test_ranges_without_end_are_not_counted() -> None:
    assert figures.count_of([5]) == 5
    assert figures.count_of([9, 0, -2]) == 5
    for ends in ([], [2**70], [0, 5, 0], [1.5], [math.inf], [None], [1, 2, 3, 4]):
        assert figures.count_of(ends) is None


def test_computations_that_fail_or_grow_give_nothing() -> None:
    assert figures.computed("+", lambda a, b: a + b, (1, 2)) == (3,)
    assert figures.computed("+", lambda a, b: a + b, (1, "2")) is None
    assert figures.computed("**", pow, (2, 10**9)) is None
    assert figures.computed("**", pow, (2, math.nan)) is None
    assert figures.computed("<<", lambda a, b: a << b, (1, 10**9)) is None
    assert figures.computed("*", lambda a, b: a * b, ("a", 10**12)) is None
    assert figures.computed("method", str.ljust, ("a", 10**12)) is None
    assert figures.computed("call", int, (math.inf,)) is None
    assert figures.computed("call", list, ("ab",)) is None


def test_what_cannot_be_printed_is_not_shown() -> None:
    assert figures.shown(math.inf, "%d".__mod__) is None
    assert figures.shown(10**5000) is None
    assert figures.shown(1.5) == "1.5"
    assert figures.formatted(1, ">9999999") == "1"


@pytest.mark.parametrize("room", ROOMS)
def test_nobody_else_makes_numbers_of_what_a_program_says(room: str) -> None:
    """``int(…)`` of a flag of ours is one of ours; of anything else it is a crash that somebody will find."""
    found = [place for path in sorted((TOP / room).rglob("*.py")) for place in _makers(path)]
    assert not found, f"use ddplint.util.figures: {', '.join(found)}"


def _makers(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Name) and called.id in MAKERS and not _is_ours(node):
            yield f"{path.relative_to(TOP)}:{node.lineno}"


def _is_ours(call: ast.AST) -> bool:
    """Whether what becomes a number is a flag, a field of a table, or a literal."""
    return any(
        (isinstance(part, ast.Name) and part.id in ("Against", "row", "api"))
        or (isinstance(part, ast.Constant) and isinstance(part.value, str))
        for part in ast.walk(call)
    )
