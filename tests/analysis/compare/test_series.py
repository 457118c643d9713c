"""A series of faults before one common operation: all are told and repaired together, and turns before it are not."""

from __future__ import annotations

import pytest

from tests.rules.support import findings, report_of, start

OPERATIONS = {"b": "dist.barrier()", "r": "dist.all_reduce(x)", "c": "dist.broadcast(x, 0)", "f": "print(model(x))"}
MODEL = "model = DDP(net)\n"
TURNS = "if rank == 0:\n    dist.broadcast(x, 0)\nprint(1)\nif rank != 0:\n    dist.broadcast(x, 0)\n"


def series(kinds: str, last: str = "dist.barrier()") -> str:
    """Guarded operations one after another, and what all ranks do at the end."""
    parts = (f"print({number})\nif rank == 0:\n    {OPERATIONS[kind]}\n" for number, kind in enumerate(kinds))
    return "".join(parts) + last + "\n"


@pytest.mark.parametrize("last", ["dist.barrier()", "dist.all_reduce(x)", "print(x)"])
@pytest.mark.parametrize("kinds", ["b", "bbb", "bbbb", "bbbbbbb", "ffff", "fbfbf", "rbcrb", "rcb", "b" * 14])
def test_all_are_told(kinds: str, last: str) -> None:
    assert len(findings(MODEL + series(kinds, last), "DDP101", "DDP102")) == len(kinds)


@pytest.mark.parametrize("kinds", ["bbbb", "bbbbbbb", "rbcrb", "ffff", "fbfbf"])
def test_all_are_repaired_together(kinds: str) -> None:
    report = report_of(start(MODEL + series(kinds)), "DDP101", "DDP102", unsafe=True)
    assert len(report.fixed) == len(kinds)
    assert not report.remaining


@pytest.mark.parametrize("kinds", ["b", "bb", "bbbb", "rbf"])
def test_turns_before_a_series_are_no_fault(kinds: str) -> None:
    lines = [finding.place.range.start_line for finding in findings(MODEL + TURNS + series(kinds), "DDP101", "DDP102")]
    first = min(lines)
    assert len(lines) == len(kinds)
    assert first > len(TURNS.splitlines())


@pytest.mark.parametrize("kinds", ["bb", "rbr"])
def test_a_series_that_the_others_answer_is_fine(kinds: str) -> None:
    program = MODEL + series(kinds, "print(x)") + series(kinds).replace("rank == 0", "rank != 0")
    assert findings(program, "DDP101", "DDP102") == []
