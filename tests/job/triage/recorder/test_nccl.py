"""Dumps of real jobs on NCCL (``fixtures/gpu``, four ranks of which the last has the fault): who is to blame.

The archive also has those of hanging fixtures, in which two ranks meet with different things.
"""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from fixtures.harness.fixture import ROOT
from tests.job.triage.recorder.written import told

ARCHIVE = ROOT / "results" / "nccl-cuda-logs.tar.gz"


@pytest.fixture(scope="module")
def dumps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("nccl")
    with tarfile.open(ARCHIVE) as archive:
        for member in archive:
            *_, kind, name, last = Path("x", member.name).parts
            if member.isfile() and "flight_recorder" in last:
                folder = top / (name if kind == "failures" else f"of {kind}")
                folder.mkdir(exist_ok=True)
                content = archive.extractfile(member)
                assert content is not None
                (folder / last).write_bytes(content.read())
    return top


@pytest.mark.parametrize(
    ("name", "cause", "ranks", "number", "said"),
    [
        ("absent", "slow", (3,), 4, "nothing pending"),
        ("exited", "slow", (3,), 4, "no dump of rank 3"),
        ("extra", "diverged", (3,), 4, "rank 3: all_gather of 64 elements"),
        ("fewer", "diverged", (3,), 5, "rank 3: all_reduce_barrier"),
        ("lock_held", "slow", (3,), 4, "nothing pending"),
        ("order", "diverged", (3,), 4, "rank 3: broadcast"),
        ("ring", "slow", (3,), 4, "the last that rank 3 did was a batch of 2 (recv, send)"),
        ("sizes", "sizes", (3,), 4, "rank 3: all_reduce of 1,000,003 elements"),
        ("slow", "slow", (3,), 4, "7.5 s after ranks 0–2"),
        ("types", "diverged", (3,), 4, "(Double)"),
        ("uneven_exchange", "slow", (3,), 5, "the last that rank 3 did was all_to_all"),
        # Jobs that die as trainers do.
        ("accelerate_gather", "diverged", (3,), 10, "rank 3: all_gather of 1 element"),
        ("lightning_log", "diverged", (3,), 24, "rank 3: all_reduce_barrier"),
        ("lone_forward", "diverged", (3,), 18, "rank 3: broadcast of 128 elements"),
        ("sharded_fewer_batches", "diverged", (3,), 28, "rank 3: all_reduce_barrier"),
        ("sharded_lone_forward", "diverged", (3,), 31, "rank 3: all_gather of 272 elements"),
        ("sharded_lone_state", "diverged", (0,), 28, "rank 0: all_gather_into_tensor_coalesced"),
        ("skipped_backward", "diverged", (3,), 9, "rank 3: all_reduce_barrier"),
        ("trainer_evaluates", "diverged", (3,), 21, "rank 3: broadcast of 128 elements"),
        ("trainer_stops", "slow", (3,), 25, "no dump of rank 3"),
        # What a dump cannot tell: which of two differs, what runs on a device without times, a receive that only its
        # rank knows of (NCCL first makes the connection). All that is said has to be true.
        ("one_pair", "diverged", (), 4, "rank 2: all_reduce of 256 elements"),
        ("gpu_stuck", "transport", (), 4, "do not disagree"),
        ("unsent", "slow", (2,), 4, "ranks 0, 1, 3 wait"),
    ],
)
def test_ways_to_die(dumps: Path, name: str, cause: str, ranks: tuple[int, ...], number: int, said: str) -> None:
    fact = told(dumps / name)[0]
    assert (fact.cause, fact.ranks, fact.number) == (cause, ranks, number)
    assert said in fact.text


def test_what_a_late_rank_waits_for_afterwards_is_nobody_s_fault(dumps: Path) -> None:
    (fact,) = told(dumps / "slow")
    assert (fact.ranks, fact.waiting) == ((3,), (0, 1, 2))


@pytest.mark.parametrize(
    ("name", "number", "sides"),
    [
        ("accelerate_gather", 11, ("rank 0: all_gather of 8", "rank 1: broadcast of 5,056")),
        ("branch_order", 10, ("rank 0: broadcast of 1", "rank 1: all_reduce of 1")),
        ("guarded_barrier", 9, ("rank 0: all_reduce_barrier", "rank 1: all_reduce of 212")),
        ("early_return", 11, ("rank 0: all_reduce of 2", "rank 1: all_reduce of 110")),
        ("fsdp_full_state", 33, ("rank 0: all_gather_into_tensor_coalesced", "rank 1: all_reduce_barrier")),
        ("uneven_stream", 18, ("rank 0: broadcast of 1", "rank 1: all_reduce_barrier")),
    ],
)
def test_where_two_ranks_part(dumps: Path, name: str, number: int, sides: tuple[str, ...]) -> None:
    """Mostly not what hangs in the end: NCCL lets different operations meet."""
    fact = told(dumps / f"of {name}")[0]
    assert (fact.cause, fact.number) == ("diverged", number)
    assert all(side in fact.text for side in sides)
