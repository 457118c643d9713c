"""The scheduler ended the job: time limit, preemption, a node that failed, or somebody cancelled it."""

from __future__ import annotations

import re
import signal

from ddplint.job.triage.facts import Sign
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
_STOPPED = re.compile(r"(?:[Rr]eceived (\d+) death signal|got signal: (\d+)|Signal: \w+ \((\d+)\)|\*\*\* (SIG[A-Z]+) )")
_BY_AGENT = re.compile(r"[Ss]ending process \d+ closing signal|Unable to shutdown process|Killing subprocess \d")
_TROUBLE = ("error", "grave", "nccl-warn", "not-understood", "echo")
"""Kinds of lines before a signal for which it may have been sent."""
_SENT = {
    "1": "SIGHUP: the terminal or the connection it was started from was closed",
    "2": "SIGINT: somebody interrupted it (Ctrl-C)",
    "15": "SIGTERM: by the scheduler, by a person, or because another machine of the job had failed",
}
"""Who sends a signal to a launcher."""


def scheduler(case: Case) -> Hypothesis | None:
    """Lines of the scheduler. What it ends because a task had failed is a consequence."""
    found = Hypothesis("scheduler")
    for sign in case.of("asked-to-stop")[:1]:
        before = [one for one in case.signs if one.kind in _TROUBLE and one.level not in ("W", "I")]
        alone = _signal(sign) == "15" and not any(case.later(sign, one) for one in before)
        points = 60 if _signal(sign) in ("1", "2") else 40 if alone else 24
        found.support(points, asked_to_stop(sign), sign)
    for kind, (points, what) in _KINDS.items():
        if kind == "stop" and found.score:
            continue
        for sign in case.of(kind)[:1] or _last_steps(case, kind):
            if kind == "stop" and sign.text.startswith("KeyboardInterrupt"):
                found.support(28, f"the process was asked to stop by {_SENT['2']}: {quoted(sign)}", sign)
                continue
            if "marked dead" in sign.text:
                points = 70  # for want of heartbeats, which a machine that is only slow may not send either
            agent = kind == "stop" and by_agent(sign)
            found.support(8 if agent else points, f"{what}: {quoted(sign)}", sign)
    if not found.score or found.first is None:
        return None
    if case.of("task-failed"):
        found.doubt(60, "the scheduler ended the step because a task had failed")
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


def _last_steps(case: Case, kind: str) -> list[Sign]:
    """What Slurm ended, though the program took some steps more before it was gone."""
    ended = [sign for sign in case.signs if sign.kind == kind and "CANCELLED AT" in sign.text]
    return ended[:1] if case.end is None else []


def by_agent(sign: Sign) -> bool:
    """Whether a launcher ends its processes, which it does when one of them failed, or it was asked to stop itself."""
    return bool(_BY_AGENT.search(sign.text))


def asked_to_stop(sign: Sign) -> str:
    """That a launcher got a signal, and who sends that."""
    by = _SENT.get(_signal(sign))
    return f"the launcher was asked to stop{f' by {by}' if by else ''}: {quoted(sign)}"


def _signal(sign: Sign) -> str:
    if sign.text.startswith("SystemExit"):  # with 128 and the number of the signal
        return "15"
    found = _STOPPED.search(sign.text)
    if found is not None and found[4]:
        return str(int(getattr(signal, found[4], 0)) or "")
    return (found[1] or found[2] or found[3]) if found else ""
