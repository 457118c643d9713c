"""The process group was never complete. Only where nothing shows that the job ran."""

from __future__ import annotations

from ddplint.job.triage.hypotheses.base import Hypothesis, quoted, spell_ranks, whom
from ddplint.job.triage.timelines.case import Case

_POINTS = {"mesh": 76, "address": 78, "rendezvous": 74, "join": 82, "init": 80, "connect": 70, "store": 68}
_SAYS = {
    "mesh": "gloo could not connect all ranks with each other: an address or interface that others do not reach",
    "address": "the master's address does not resolve",
    "rendezvous": "the rendezvous of the launchers failed",
    "join": "not all processes came to the process group",
    "init": "the process group was not complete in time",
    "connect": "a process cannot reach the master",
    "store": "the process that hosts the store went away or cannot be reached",
}


def startup(case: Case) -> Hypothesis | None:
    """What launchers and stores say before the first step."""
    found = Hypothesis("init")
    if case.ran:
        return None
    for kind, points in _POINTS.items():
        for sign in case.of(kind)[:1]:
            weak = (
                40 if sign.level in ("W", "I") else 30 if "ClosedError" in sign.text or "Graceful" in sign.text else 0
            )
            count = f" ({sign.number} of {sign.world} came)" if sign.number is not None and sign.world else ""
            told = f"{whom(sign)}: " if sign.rank is not None else ""
            found.support(points - weak, f"{_SAYS[kind]}{count}: {told}{quoted(sign)}", sign)
    absent = sorted({rank for sign in case.of("absent") for rank in sign.ranks})
    if found.score and absent:
        found.support(50, f"{spell_ranks(absent)} did not come, says the coordinator", None, absent)
    closed = bool(found.because) and "ClosedError" in found.because[0]
    if closed and len(found.because) == 1 and case.of("asked-to-stop"):
        found.doubt(30, "an agent was asked to stop: that closes the rendezvous for the others")
    if found.score and case.own_stacks:
        found.doubt(30, "a process failed by itself, so the others could not find it")
    if case.of("cuda-generic", "hardware"):
        found.also.append("hardware")
    return found if found.score else None
