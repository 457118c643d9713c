"""A GPU, its memory, its links or the driver reported an error."""

from __future__ import annotations

import re

from ddplint.job.triage.facts import Sign
from ddplint.job.triage.hypotheses.base import Hypothesis, quoted, whom
from ddplint.job.triage.timelines.case import Case

_XID = re.compile(r"\bXid\b.{0,60}?: (\d+)")
_OF_ANOTHER = re.compile(r"caused by previous Xid (\d+)")
"""Channels that are torn down because of another fault, which the line names."""
_OF_PROGRAMS = {13, 31, 43, 45, 68, 69}
"""Xids that a program's kernel causes; the others are the device's, the driver's or the link's."""


def hardware(case: Case) -> Hypothesis | None:
    """Lines of the driver about the device, and CUDA errors that may stand for one."""
    found = Hypothesis("hardware")
    for sign in case.of("hardware", "fabric-manager"):
        points = 92 if not by_program(sign) else 48
        whose = f"{whom(sign)}: " if sign.rank is not None else ""
        if len(found.because) < 4:
            found.support(points, f"{whose}{quoted(sign)}", sign, [sign.rank])
        if points < 60:
            found.also.append("died")
    for sign in case.of("cuda"):
        if "launch failure" in sign.text:
            found.support(
                60,
                f"{whom(sign)}: an unspecified launch failure is a fault of a kernel or a sick GPU",
                sign,
                [sign.rank],
            )
            break
    for sign in case.of("cuda-generic")[:1]:
        points = 20 if not any(one.explains for one in case.signs) else 15
        found.support(points, f"NCCL met a CUDA error that it does not name: {quoted(sign)}", sign, [sign.rank])
    return found if found.score else None


def by_program(sign: Sign) -> bool:
    """Whether a line of the driver is about what a program's kernel did."""
    told = _OF_ANOTHER.search(sign.text) or _XID.search(sign.text)
    return bool(told) and int(told[1]) in _OF_PROGRAMS if told else False
