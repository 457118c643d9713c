"""A report of the witness as the evidence that ``ddplint triage`` judges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ddplint.job.triage.facts import Code, Evidence, Sign, Stack, Wait


def add_report(told: Mapping[str, Any], evidence: Evidence, where: str) -> None:
    """Add what a report (:func:`ddplint.job.histories.report.record`) says; ``where`` it was read."""
    evidence.world = max(evidence.world, len(told["ranks"]))
    for rank in told["ranks"]:
        evidence.seen.add(rank["rank"])
        for stack in _stacks(rank, where):
            evidence.add(stack)
        if rank["in"] is not None and (told["kind"] != "behind" or rank["rank"] not in told["absent"]):
            group = told["group"]["name"]
            number = rank["last"].get(group)
            evidence.add(Wait(rank["rank"], rank["in"]["op"], number, group=group, where=where))
    first = told["first"]
    if first is not None:
        for rank, side in first["sides"].items():
            if side is not None and side["at"]:
                evidence.add(Stack(int(rank), _frames(side["at"]), where=where))
        text = "; ".join(f"rank {rank}: {_side(side)}" for rank, side in list(first["sides"].items())[:16])
        evidence.add(Sign("apart", f"#{first['number']} of group {first['group']}: {text}", where=where))


def _stacks(rank: Mapping[str, Any], where: str) -> Iterator[Stack]:
    for at in (rank["in"]["at"] if rank["in"] else (), rank["stands"]):
        if at:
            yield Stack(rank["rank"], _frames(at), where=where)


def _frames(at: Sequence[Sequence[Any]]) -> tuple[Code, ...]:
    return tuple(Code(str(path), int(line), str(function)) for path, line, function in at)


def _side(side: Mapping[str, Any] | None) -> str:
    if side is None:
        return "has not come to it"
    path, line = (side["at"][-1][:2]) if side["at"] else ("an unknown line", 0)
    return f"{' '.join((side['op'], *side['terms']))} at {path}:{line}"
