"""What the comparison of Flight Recorder dumps came to, as evidence for the hypotheses that it names."""

from __future__ import annotations

from ddplint.job.triage.facts import Recorded
from ddplint.job.triage.hypotheses.base import Hypothesis
from ddplint.job.triage.timelines.case import Case

_FIRST, _FURTHER = 90, 60
_FOLLOWS = 45
"""Points where who is said to be missing left no recording, and the log shows a failure that may be why."""


def with_recordings(case: Case, found: list[Hypothesis]) -> list[Hypothesis]:
    """``found`` with that evidence. Of several recordings the first one blocks the others, so it counts most."""
    by_cause = {one.cause: one for one in found}
    for number, fact in enumerate(case.recorded):
        one = by_cause.setdefault(fact.cause, Hypothesis(fact.cause))
        blamed = fact.ranks if not number or fact.cause == case.recorded[0].cause else ()
        points = _FOLLOWS if _explained(case, fact) else _FURTHER if number else _FIRST
        one.support(points, fact.text, fact, blamed, absent=True)
        one.also += [] if number else list(fact.also)
    return list(by_cause.values())


def _explained(case: Case, fact: Recorded) -> bool:
    """Whether the log shows a failure of a rank that left no recording: it ended before it could write one."""
    failed = case.own_failure
    if not fact.unrecorded or failed is None:
        return False
    rank = getattr(failed, "rank", None)
    return rank is None or rank not in fact.waiting
