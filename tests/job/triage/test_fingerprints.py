"""Who was about to do something else than most, by the lines of torch's detailed check."""

from __future__ import annotations

import pytest

from ddplint.job.triage.facts import Sign
from ddplint.job.triage.timelines.fingerprints import odd_ranks


def line(*said: tuple[int, int, str, str]) -> Sign:
    told = ", but ".join(
        f"Rank {rank} is running collective: CollectiveFingerPrint(SequenceNumber={number}, OpType={op}, TensorShape=[{shape}])"
        for rank, number, op, shape in said
    )
    return Sign("mismatch", f"Detected mismatch between collectives on ranks. {told}")


SUM, MORE = (7, "ALLREDUCE", "64"), (7, "ALLREDUCE", "65")
GARBAGE = (0, "REDUCE", "")


@pytest.mark.parametrize(
    ("lines", "odd"),
    [
        ([line((0, *SUM), (2, *MORE)), line((1, *SUM), (2, *MORE))], (2,)),
        ([line((0, *SUM), (1, *MORE))], ()),
        (
            [
                line((0, *SUM), (2, *GARBAGE)),
                line((1, *SUM), (2, *GARBAGE)),
                line((2, 7, "BARRIER", ""), (0, *GARBAGE)),
            ],
            (2,),
        ),
        ([line((0, *SUM), (2, *GARBAGE)), line((1, *SUM), (2, *GARBAGE))], ()),
        ([line((0, *SUM), (2, *MORE)), line((1, *SUM), (2, *MORE)), line((3, *MORE), (0, *SUM))], ()),
        ([], ()),
    ],
    ids=[
        "one of three",
        "one of two",
        "a garbled answer of a rank that speaks",
        "a garbled answer alone",
        "two and two",
        "none",
    ],
)
def test_the_few(lines: list[Sign], odd: tuple[int, ...]) -> None:
    assert odd_ranks(lines) == odd
