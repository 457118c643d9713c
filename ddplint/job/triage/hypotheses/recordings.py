"""What the comparison of Flight Recorder dumps came to, as evidence for the hypotheses that it names."""

from __future__ import annotations

from ddplint.job.triage.hypotheses.base import Hypothesis
from ddplint.job.triage.timelines.case import Case

_FIRST, _FURTHER = 90, 60


def with_recordings(case: Case, found: list[Hypothesis]) -> list[Hypothesis]:
    """``found`` with that evidence. Of several recordings the first one blocks the others, so it counts most."""
    by_cause = {one.cause: one for one in found}
    for number, fact in enumerate(case.recorded):
        one = by_cause.setdefault(fact.cause, Hypothesis(fact.cause))
        blamed = fact.ranks if not number or fact.cause == case.recorded[0].cause else ()
        one.support(_FURTHER if number else _FIRST, fact.text, fact, blamed, absent=True)
        one.also += [] if number else list(fact.also)
    return list(by_cause.values())
