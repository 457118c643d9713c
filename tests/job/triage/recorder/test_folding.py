"""Batches: the entry that closes them stands for all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ddplint.job.triage.recorder.folding import folded
from ddplint.job.triage.recorder.model import Groups
from ddplint.job.triage.recorder.reading import read_dump
from tests.job.triage.recorder.written import done, dump, entry, told, write

CLOSED: dict[str, Any] = {
    "input_sizes": [],
    "output_sizes": [],
    "input_dtypes": [],
    "output_dtypes": [],
    "is_p2p": False,
}


def exchange(rank: int, world: int, number: int, state: str) -> list[dict[str, Any]]:
    """``batch_isend_irecv`` to the next and from the previous rank, as NCCL records it (torch 2.11)."""
    after, before = (rank + 1) % world, (rank - 1) % world
    numbers: dict[str, Any] = {"collective_seq_id": 3, "p2p_seq_id": number}
    return [
        entry(number, f"send {rank}->{after}", **numbers, record_id=10 * number),
        entry(number, f"recv {rank}<-{before}", **numbers, record_id=10 * number + 1),
        entry(number, "coalesced", **numbers, **CLOSED, state=state, record_id=10 * number + 2),
    ]


def test_sends_and_receives_are_one_and_no_collective() -> None:
    read = read_dump(0, dump([done(3), *exchange(0, 4, 1, "completed"), entry(4, record_id=99)]), "x", 99, Groups())
    first, batch, last = folded(read.ops)
    assert (first.number, last.number) == (3, 4)
    assert (batch.paired, batch.done, [part.between for part in batch.parts]) == (True, True, [(0, 1), (3, 0)])


def test_a_batch_of_collectives(tmp_path: Path) -> None:
    numbers: dict[str, Any] = {"collective_seq_id": 7}
    parts = [entry(index, "_all_gather_base", **numbers, record_id=index) for index in (1, 2)]
    closed = entry(7, "coalesced", **{**CLOSED, "record_id": 3})
    dumps = {rank: dump([*parts, closed]) for rank in (0, 1, 2)} | {3: dump([parts[0], closed])}
    (fact,) = told(write(tmp_path / "fr", dumps))
    assert (fact.cause, fact.ranks, fact.number) == ("diverged", (3,), 7)
    assert "a batch of 2 (all_gather)" in fact.text


def test_a_ring_whose_last_rank_is_elsewhere(tmp_path: Path) -> None:
    dumps = {rank: dump(exchange(rank, 4, 1, "scheduled")) for rank in (0, 1, 2)} | {3: dump([done(3, record_id=1)])}
    (fact,) = told(write(tmp_path / "fr", dumps))
    assert (fact.cause, fact.ranks, fact.waiting) == ("diverged", (3,), (0, 1, 2))


def test_parts_that_the_buffer_lost() -> None:
    closed = entry(3, "coalesced", **CLOSED, collective_seq_id=3, p2p_seq_id=9)
    assert [op.name for op in folded(read_dump(0, dump([done(3), closed]), "x", 9, Groups()).ops)] == ["all_reduce"]


def test_a_ring_that_is_complete(tmp_path: Path) -> None:
    dumps = {rank: dump(exchange(rank, 4, 1, "scheduled")) for rank in range(4)}
    (fact,) = told(write(tmp_path / "fr", dumps))
    assert (fact.cause, fact.ranks, fact.waiting) == ("transport", (), (0, 1, 2, 3))
