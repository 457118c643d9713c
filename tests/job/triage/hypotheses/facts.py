"""Cases made of facts, without a log."""

from __future__ import annotations

from ddplint.job.triage.facts import AnyFact, Code, Counted, Evidence, Life, Sign, Stack, Wait
from ddplint.job.triage.timelines.case import Case

__all__ = ["case", "count", "life", "raised", "sign", "wait"]


def case(*facts: AnyFact | Life, world: int = 0) -> Case:
    """The case of these facts, in this order, all of one log."""
    evidence = Evidence(world=world)
    for fact in facts:
        evidence.order += 10
        if isinstance(fact, Life):
            evidence.live(fact)
        else:
            evidence.add(fact)
    return Case(evidence, 0)


def wait(
    rank: int | None, seq: int | None = 7, op: str = "ALLREDUCE", elements: int | None = 64, group: str = "g"
) -> Wait:
    return Wait(rank, op, seq, elements, 600_000, group, "x.log:1", ran=600_010)


def count(rank: int, enqueued: int, completed: int, group: str = "g") -> Counted:
    return Counted(rank, group, enqueued, completed, where="x.log:1")


def sign(kind: str, text: str, rank: int | None = None, **more: object) -> Sign:
    return Sign(kind, text, rank, where="x.log:1", **more)  # type: ignore[arg-type]


def raised(rank: int | None, error: str, line: int = 5) -> Stack:
    return Stack(rank, (Code("/srv/train.py", line, "step"),), error, "x.log:1")


def life(rank: int | None, text: str = "step 9", ended: bool = False) -> Life:
    return Life(rank, text, ended, "x.log:1")
