"""Ranks that came to a collective later than the others were prepared to wait."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ddplint.job.triage.recorder.jams import Jam
from ddplint.job.triage.recorder.model import Op
from ddplint.job.triage.recorder.waiting import Place, Waiting


@dataclass(frozen=True)
class _Arrivals:
    place: Place
    ops: Mapping[int, Op]
    first: int
    last: int


def late(waiting: Waiting) -> Jam | None:
    """The first collective to which members came later than its time limit allows, if clocks can be trusted.

    They can where the same members came together at other times: a clock that is wrong is always wrong.
    """
    arrivals = sorted(_arrivals(waiting), key=lambda one: one.first)
    for one in arrivals:
        limit = max((op.timeout or 0) for op in one.ops.values()) * 10**6
        behind = tuple(sorted(rank for rank, op in one.ops.items() if op.time - one.first > limit))
        if limit and behind and _met_before(one, behind, arrivals, limit):
            rest = tuple(sorted(one.ops.keys() - set(behind)))
            return Jam("late", one.place, behind, rest, one.ops)
    return None


def lateness(jam: Jam) -> float:
    """Seconds from the first arrival to the last."""
    times = [op.time for op in jam.ops.values()]
    return (max(times) - min(times)) / 10**9


def _arrivals(waiting: Waiting) -> Iterator[_Arrivals]:
    for (group, number), met in waiting.job.met.items():
        place = Place(group, number)
        times = [op.time for op in met.values() if op.time]
        if len(times) == len(met) > 1 and waiting.mismatch(place) is None:
            yield _Arrivals(place, met, min(times), max(times))


def _met_before(one: _Arrivals, behind: tuple[int, ...], arrivals: list[_Arrivals], limit: int) -> bool:
    """Whether those who were late came with the others in time just before."""
    before = [
        other
        for other in arrivals
        if other.place.group == one.place.group
        and other.place.number < one.place.number
        and set(behind) <= set(other.ops)
    ]
    return bool(before) and all(other.last - other.first < limit for other in before[-8:])
