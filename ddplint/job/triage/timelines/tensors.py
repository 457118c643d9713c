"""Tensors that only some of the ranks handed in: whether each side waits for what the other has not."""

from __future__ import annotations

import re

from ddplint.job.triage.facts import Sign
from ddplint.job.triage.reading.numbers import listed
from ddplint.job.triage.timelines.case import Case

_TENSOR = re.compile(r"(\S{1,200}) \[(ready|missing) ranks: ?(\d[\d, ]{0,400})")
_ONE_REPORT = 64
"""Lines within which two tensors are of one report, if their times do not differ."""


def against(case: Case) -> tuple[Sign, str, dict[str, tuple[int, ...]]] | None:
    """Two tensors of one report, each of them missing at ranks that have the other: the line, and who lacks which."""
    signs = case.of("absent", "stalled")
    told = [(sign, name, missing) for sign in signs for name, missing in _missing(sign)]
    for at, (sign, name, missing) in enumerate(told):
        for other, another, lacks in told[at + 1 : at + 200]:
            near = other.order - sign.order <= _ONE_REPORT and (sign.time is None or sign.time == other.time)
            if near and missing and lacks and not set(missing) & set(lacks):
                return sign, name, {name: missing, another: lacks}
    return None


def _missing(sign: Sign) -> list[tuple[str, tuple[int, ...]]]:
    """The tensors that a line names, and who has not handed them in, as far as its ranks are known."""
    told = [(match[1], match[2] == "ready", listed(match[3])) for match in _TENSOR.finditer(sign.text)]
    everybody = {rank for _, ready, ranks in told if ready for rank in ranks}
    return [(name, tuple(sorted(everybody - set(ranks))) if ready else ranks) for name, ready, ranks in told]
