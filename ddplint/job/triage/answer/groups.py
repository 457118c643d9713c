"""What each process group waits in, as sentences and as values."""

from __future__ import annotations

from typing import Any

from ddplint.job.triage.facts import Wait
from ddplint.job.triage.hypotheses.base import spell_ranks
from ddplint.job.triage.timelines.groups import GroupLine
from ddplint.job.triage.timelines.operations import elements

_MOST = 12


def group_lines(groups: list[GroupLine]) -> list[str]:
    """One line for each group in which somebody waits, or of which counts are known."""
    told = [_line(group) for group in groups if group.every or group.counts]
    return told[:_MOST] + ([f"and {len(told) - _MOST} further groups"] if len(told) > _MOST else [])


def _line(group: GroupLine) -> str:
    name = f"group {group.name}" if group.name else "group not named"
    parts = [
        f"{_ranks(waits)} {'waits' if len(waits) == 1 else 'wait'} in {shape}"
        for shape, waits in _shapes(group).items()
    ]
    for (enqueued, completed), ranks in _counts(group).items():
        parts.append(f"{spell_ranks(ranks)} enqueued #{enqueued}, completed #{completed}")
    if group.several:
        parts.append("the numbers may be those of several groups: they are not compared")
    return f"{name}: " + "; ".join(parts[:_MOST])


def _shapes(group: GroupLine) -> dict[str, list[Wait]]:
    found: dict[str, list[Wait]] = {}
    for wait in group.every:
        number = "" if wait.seq is None else f" #{wait.seq}"
        size = "" if wait.elements is None else f" of {elements(wait.elements)}"
        found.setdefault(f"{wait.op or 'a collective'}{number}{size}", []).append(wait)
    return found


def _ranks(waits: list[Wait]) -> str:
    named = {wait.rank for wait in waits if wait.rank is not None}
    return spell_ranks(named) if named else "a rank"


def _counts(group: GroupLine) -> dict[tuple[int | None, int | None], list[int]]:
    found: dict[tuple[int | None, int | None], list[int]] = {}
    for rank, count in sorted(group.counts.items()):
        found.setdefault((count.enqueued, count.completed), []).append(rank)
    return found


def group_records(groups: list[GroupLine]) -> list[dict[str, Any]]:
    """The same as values."""
    return [
        {
            "name": group.name,
            "number": group.number,
            "numbers_compared": group.compared,
            "waiting": [
                {
                    "rank": wait.rank,
                    "operation": wait.op,
                    "number": wait.seq,
                    "elements": wait.elements,
                    "ran_ms": wait.ran,
                }
                for wait in group.every
            ],
            "counts": [
                {"rank": rank, "enqueued": count.enqueued, "started": count.started, "completed": count.completed}
                for rank, count in sorted(group.counts.items())
            ],
            "behind": list(group.behind()),
            "odd": list(group.odd()),
        }
        for group in groups
    ]
