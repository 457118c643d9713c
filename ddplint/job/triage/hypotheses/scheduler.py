"""The scheduler ended the job: time limit, preemption, a node that failed, or somebody cancelled it."""

from __future__ import annotations

from ddplint.job.triage.hypotheses.base import Hypothesis, quoted
from ddplint.job.triage.timelines.case import Case

_KINDS = {
    "time-limit": (86, "the time limit ended the job"),
    "preempted": (86, "the job was preempted"),
    "node-failed": (84, "a node failed, says the scheduler"),
    "evicted": (80, "the pod was evicted"),
    "requeued": (70, "the job was requeued"),
    "cancelled": (55, "the job or step was cancelled"),
    "aborted-step": (24, "the step was ended from outside, or because one of its tasks had failed"),
    "stop": (18, "the process was asked to stop"),
}


def scheduler(case: Case) -> Hypothesis | None:
    """Lines of the scheduler. What it ends because a task had failed is a consequence."""
    found = Hypothesis("scheduler")
    for kind, (points, what) in _KINDS.items():
        for sign in case.of(kind)[:1]:
            found.support(points, f"{what}: {quoted(sign)}", sign)
    if not found.score or found.first is None:
        return None
    failed = case.own_failure or (case.waits[0] if case.waits else None)
    if failed is not None and case.later(found.first, failed):
        found.doubt(50, "something had failed before: that came first")
    elif (
        case.signs
        and found.score < 60
        and any(
            case.later(found.first, s) for s in case.signs if s.kind in ("oom", "hardware", "completion", "mismatch")
        )
    ):
        found.doubt(30, "something had failed before: that came first")
    return found
