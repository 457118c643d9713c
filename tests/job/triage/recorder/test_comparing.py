"""What ranks may bring to one operation, and what not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.job.triage.recorder.written import done, dump, entry, told, write


def met(tmp_path: Path, odd: dict[str, Any], usual: dict[str, Any]) -> list[tuple[str, tuple[int, ...]]]:
    dumps = {rank: dump([usual]) for rank in (0, 1, 2)} | {3: dump([odd])}
    return [(fact.cause, fact.ranks) for fact in told(write(tmp_path / "fr", dumps))]


@pytest.mark.parametrize(
    ("odd", "usual"),
    [
        (entry(1, "all_to_all", [[3, 5]]), entry(1, "all_to_all", [[4, 5]])),
        (entry(1, "scatter", [[16]], output_sizes=[[4]]), entry(1, "scatter", [], output_sizes=[[4]])),
        (
            entry(1, "gather", [[4]], output_sizes=[[4]] * 4),
            entry(1, "gather", [[4]], output_sizes=[], output_dtypes=[]),
        ),
        (entry(1, "all_gather", [[5]], output_sizes=[[4], [4], [4], [5]]),
         entry(1, "all_gather", [[4]], output_sizes=[[4], [4], [4], [5]])),
        (entry(1, "all_reduce", [[2, 3]]), entry(1, "all_reduce", [[6]])),
        (entry(1, "barrier", []), entry(1, "barrier", [[1]])),
    ],
)  # fmt: skip
def test_what_may_differ(tmp_path: Path, odd: dict[str, Any], usual: dict[str, Any]) -> None:
    """All are in the same operation: nothing but the transport is left."""
    assert met(tmp_path, odd, usual) == [("transport", ())]


@pytest.mark.parametrize(
    ("odd", "usual", "cause"),
    [
        (entry(1, "broadcast"), entry(1, "all_reduce"), "diverged"),
        (entry(1, "all_reduce", [[5]]), entry(1, "all_reduce", [[6]]), "sizes"),
        (entry(1, "all_reduce", input_dtypes=["Double"]), entry(1, "all_reduce"), "diverged"),
        (
            entry(1, "all_to_all", input_dtypes=["Half"], output_dtypes=["Half"]),
            entry(1, "all_to_all", [[9]]),
            "diverged",
        ),
        (
            entry(1, "scatter", output_sizes=[[5]], output_dtypes=["Float"]),
            entry(1, "scatter", [], output_sizes=[[4]], output_dtypes=["Float"]),
            "sizes",
        ),
    ],
)
def test_what_may_not(tmp_path: Path, odd: dict[str, Any], usual: dict[str, Any], cause: str) -> None:
    assert met(tmp_path, odd, usual) == [(cause, (3,))]


def test_different_things_that_met_come_first(tmp_path: Path) -> None:
    """NCCL lets a barrier meet a reduction; what hangs is one operation later, and no cause."""
    dumps = {rank: dump([done(1), done(2), entry(3)]) for rank in (0, 1, 2)}
    dumps[3] = dump([done(1), done(2, "all_reduce_barrier"), done(3, "all_reduce_barrier")])
    (fact,) = told(write(tmp_path / "fr", dumps))
    assert (fact.cause, fact.ranks, fact.number, fact.waiting) == ("diverged", (3,), 2, (0, 1, 2))
    assert "ranks 0–2: all_reduce of 4 elements" in fact.text
    assert "rank 3: all_reduce_barrier" in fact.text


def test_nothing_hangs_but_ranks_met_with_different_things(tmp_path: Path) -> None:
    dumps = {0: dump([done(1)], {"0": (0, 1)}), 1: dump([done(1, "broadcast")], {"0": (0, 1)})}
    (fact,) = told(write(tmp_path / "fr", dumps))
    assert (fact.cause, fact.ranks, fact.waiting) == ("diverged", (), ())


def test_nothing_hangs(tmp_path: Path) -> None:
    assert told(write(tmp_path / "fr", {rank: dump([done(1), done(2)]) for rank in range(4)})) == []
