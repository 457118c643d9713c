"""All hypotheses of an attempt, the likeliest first. A consequence never outvotes what it follows from."""

from __future__ import annotations

from ddplint.job.triage.hypotheses.base import Consider, Hypothesis
from ddplint.job.triage.hypotheses.configuration import configuration
from ddplint.job.triage.hypotheses.died import died
from ddplint.job.triage.hypotheses.diverged import diverged
from ddplint.job.triage.hypotheses.hardware import hardware
from ddplint.job.triage.hypotheses.memory import memory
from ddplint.job.triage.hypotheses.recordings import with_recordings
from ddplint.job.triage.hypotheses.scheduler import scheduler
from ddplint.job.triage.hypotheses.sizes import sizes
from ddplint.job.triage.hypotheses.slow import slow
from ddplint.job.triage.hypotheses.startup import startup
from ddplint.job.triage.hypotheses.transport import transport
from ddplint.job.triage.hypotheses.unknown import unknown
from ddplint.job.triage.timelines.case import Case

ALL: tuple[Consider, ...] = (
    died, memory, hardware, diverged, sizes, slow, transport, startup, configuration, scheduler, unknown,
)  # fmt: skip

_CLOSE = 10
"""Points within which the earlier of two failures counts: it may be what the later one follows from."""


def weighed(case: Case) -> list[Hypothesis]:
    """Hypotheses that anything speaks for, the likeliest first; none for a job that nothing happened to."""
    found = with_recordings(case, [one for consider in ALL if (one := consider(case)) is not None])
    found.sort(key=lambda one: -one.score)
    if len(found) > 1 and _earlier(case, found[1], found[0]):
        found[0], found[1] = found[1], found[0]
    return found


_OF_THEIR_OWN = ("died", "memory", "hardware", "configuration", "transport", "scheduler")
"""Causes that are events; what ranks disagreed about is read from all of their waits, and has no first line."""


def _earlier(case: Case, one: Hypothesis, other: Hypothesis) -> bool:
    if one.cause not in _OF_THEIR_OWN or other.cause not in _OF_THEIR_OWN:
        return False
    if one.first is None or other.first is None or other.score - one.score > _CLOSE or one.score < 50:
        return False
    return one.first.order != other.first.order and case.later(other.first, one.first)
