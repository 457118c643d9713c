"""Did a rewrite do what it was for? Findings before and after are matched although positions have moved."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ddplint.findings import anchors
from ddplint.findings.model import Finding

_NUMBER = re.compile(r"\d+")


def _message(finding: Finding) -> str:
    """The message without line numbers and ranks."""
    return _NUMBER.sub("#", finding.message)


@dataclass(frozen=True, eq=False)
class Objection:
    """Why a rewrite is not to be believed: findings it was for that still stand, or one that is ``new``."""

    reason: str
    culprits: tuple[Finding, ...] = ()
    new: Finding | None = None


def objection(
    before: Sequence[Finding], fixed: Sequence[Finding], after: Sequence[Finding], *, lenient: bool = False
) -> Objection | None:
    """Why a rewrite for ``fixed`` is not to be believed; ``None`` where it is.

    Each of ``fixed`` (taken from ``before``) must be gone, and each finding in ``after`` must be one of the others;
    ``lenient`` lets new advice pass.
    """
    was, now = Counter(map(anchors.anchor, before)), Counter(map(anchors.anchor, after))
    still = {key for key, count in Counter(map(anchors.anchor, fixed)).items() if now[key] > was[key] - count}
    if still:
        culprits = tuple(one for one in fixed if anchors.anchor(one) in still)
        return Objection("the finding is still there after the rewrite", culprits)
    done = set(map(id, fixed))
    new = _unmatched([one for one in before if id(one) not in done], after)
    grave = [one for one in new if not (lenient and one.severity.value == "advice")]
    return Objection(f"the rewrite would bring {grave[0].code}: {grave[0].message}", (), grave[0]) if grave else None


def _unmatched(before: Sequence[Finding], after: Sequence[Finding]) -> list[Finding]:
    """The findings of ``after`` that none of ``before`` accounts for, the closest matches taken first."""
    pool, rest = list(before), list(after)
    for key in (
        lambda one: (anchors.anchor(one), _message(one)),
        anchors.anchor,
        lambda one: (one.code, _message(one)),
    ):
        kept = Counter(key(one) for one in pool)
        found: Counter[object] = Counter()
        missing: list[Finding] = []
        for one in rest:
            if kept[key(one)] > found[key(one)]:
                found[key(one)] += 1
            else:
                missing.append(one)
        left: list[Finding] = []
        for one in pool:
            if found[key(one)] > 0:
                found[key(one)] -= 1
            else:
                left.append(one)
        pool, rest = left, missing
    return rest


def compiles(text: str) -> bool:
    """Whether Python takes the text: stricter than parsing, it sees a ``return`` outside a function."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<rewritten>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
