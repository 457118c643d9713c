"""Ranks, operations and places as people say them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ddplint.job.triage.recorder.model import Op
from ddplint.job.triage.recorder.waiting import Place


def ranks_of(ranks: Iterable[int]) -> str:
    """``rank 3`` or ``ranks 0, 2–5 and 7``."""
    spans = list(_spans(sorted(ranks)))
    told = [str(low) if low == high else f"{low}–{high}" if high > low + 1 else f"{low}, {high}" for low, high in spans]
    if len(spans) == 1 and spans[0][0] == spans[0][1]:
        return f"rank {told[0]}"
    return "ranks " + ", ".join(told)


def verb(ranks: Iterable[int], one: str, several: str) -> str:
    """The form of a verb for so many."""
    return one if len(list(ranks)) == 1 else several


def _spans(ranks: list[int]) -> Iterator[tuple[int, int]]:
    first = 0
    for index in range(1, len(ranks) + 1):
        if index == len(ranks) or ranks[index] != ranks[index - 1] + 1:
            yield ranks[first], ranks[index - 1]
            first = index


def operation(op: Op) -> str:
    """Its name as the API has it: ``all_gather`` for ``_all_gather_base``."""
    if op.parts:
        names = sorted({operation(part) for part in op.parts})
        return f"a batch of {len(op.parts)} ({', '.join(names)})"
    return op.name.strip("_").removesuffix("_base") or "an operation"


def at(place: Place, name: str) -> str:
    """The operation, its number and its group."""
    if place.between:
        return f"{name} from rank {place.between[0]} to rank {place.between[1]} in {place.group}"
    return f"{name} #{place.number} of {place.group}"


def brought(op: Op) -> str:
    """What a rank brought to a collective, and where it called it."""
    size = "" if op.elements is None else f" of {op.elements:,} element{'' if op.elements == 1 else 's'}"
    types = ", ".join(sorted(set(op.types[0])))
    own = op.own
    where = "" if own is None else f" at {own.path}:{own.line}"
    return f"{operation(op)}{size}{f' ({types})' if types else ''}{where}"
