"""Something failed, and no other hypothesis says what: it is quoted."""

from __future__ import annotations

from ddplint.job.triage.facts import Fact
from ddplint.job.triage.hypotheses.base import Hypothesis, place, quoted, who
from ddplint.job.triage.timelines.case import Case


def unknown(case: Case) -> Hypothesis | None:
    """Lines that call themselves errors, errors about others, and ends with a code, where nothing else is known."""
    found = Hypothesis("unknown")
    errors = [sign for sign in case.of("error") if sign.level not in ("W", "I")]
    for sign in errors[:3]:
        found.support(26, f"{who(sign.rank)}: {quoted(sign)}" if sign.rank is not None else quoted(sign), sign)
    for stack in case.lost_stacks[:2]:
        at = place(stack)
        found.support(24, f"{who(stack.rank)} raised: {quoted(stack)}{f', at {at}' if at else ''}", stack)
    for death in case.deaths:
        if death.exitcode not in (None, 0, -15, 143) and len(found.because) < 5:
            found.support(20, f"{who(death.rank)} ended with exit code {death.exitcode} ({death.where})", death)
    weak: list[Fact] = list(case.of("communicator", "stop", "aborted-step", "elsewhere", "last-error"))
    if not found.score and weak:
        found.support(18, quoted(weak[0]), weak[0])
    return found if found.score else None
