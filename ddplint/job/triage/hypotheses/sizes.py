"""Ranks met in one collective with different sizes, shapes or types."""

from __future__ import annotations

import re

from ddplint.job.triage.hypotheses.base import Hypothesis, quoted, spell_ranks
from ddplint.job.triage.timelines.case import Case
from ddplint.job.triage.timelines.fingerprints import compared, numbers_differ, odd_models, odd_ranks
from ddplint.job.triage.timelines.groups import GroupLine

_NOTHING = re.compile(r"\binconsistent 0 params")
_OPS = re.compile(r"OpType=(\w+)")


def sizes(case: Case) -> Hypothesis | None:
    """Sizes that differ at one number of one group, as a check, a recording or the watchdogs show."""
    found = Hypothesis("sizes")
    others = odd_models(case.of("verify"))
    for sign in case.of("sizes", "verify"):
        nothing = bool(_NOTHING.search(sign.text))
        text = f"the sizes of what ranks exchange differ: {quoted(sign)}"
        found.support(90 if not nothing else 60, text, sign, others)
        if nothing:
            found.because.append("a rank that brings nothing at all may have failed before: its own lines say so")
            found.also += ["diverged", "transport"]
    few = odd_ranks(case.of("mismatch"))
    for sign in case.of("mismatch"):
        ops = _OPS.findall(sign.text)
        if len(ops) > 1 and len(set(ops)) == 1 and "Sequence number" not in sign.text and not numbers_differ(sign.text):
            found.because += [told] if (told := compared(sign.text)) else []
            found.support(92, f"one operation, other shapes or types: {quoted(sign)}", sign, few)
    for group in case.compared:
        _by_group(group, found)
    return found if found.score else None


def _by_group(group: GroupLine, found: Hypothesis) -> None:
    parts = group.sizes()
    if len(parts) < 2 or len(group.operations()) > 1:
        return
    told = "; ".join(
        f"{spell_ranks(wait.rank for wait in waits if wait.rank is not None)} with {elements:,} elements"
        for (elements, _), waits in sorted(parts.items())
    )
    number = "" if group.number is None else f" #{group.number}"
    sure = 83 if group.name else 74
    found.support(sure, f"one {group.every[0].op}{number}, different sizes: {told}", group.every[0], group.odd())
