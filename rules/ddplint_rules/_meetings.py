"""Which of two things on different ranks surely comes first: the ranks must meet in between."""

from __future__ import annotations

from ddplint.rule import Event, Walk
from ddplint_rules._files import agree

_MEETS = frozenset({"collective", "construct", "init", "save_all_ranks", "backward", "forward", "step"})
"""Effects after which no rank is left behind."""


def comes_before(walk: Walk, first: Event, one: int, second: Event, other: int) -> bool:
    """Whether rank ``one`` has surely done ``first`` by the time rank ``other`` does ``second``.

    The ranks meet in their n-th meeting each, so ``other`` must have come through more meetings than ``one`` had. A
    call in between that could not be followed may be such a meeting.
    """
    if any(_may_meet(event, first, one, second, other) for event in walk.events):
        return True
    before = _meetings(walk, first, one, (first, second))
    return _meetings(walk, second, other, (first, second)) > before


def _may_meet(event: Event, first: Event, one: int, second: Event, other: int) -> bool:
    if event.effect != "opaque" or not first.order < event.order < second.order:
        return False
    return one in event.ranks or other in event.ranks


def _meetings(walk: Walk, until: Event, rank: int, both: tuple[Event, Event]) -> int:
    return sum(
        1
        for event in walk.events
        if event.effect in _MEETS
        and event.order < until.order
        and rank in event.ranks
        and all(agree(event.path, place.path) for place in both)
        and _communicates(event)
    )


def _communicates(event: Event) -> bool:
    if event.effect in ("forward", "backward"):
        return event.details.get("wrapped") is not None
    return True
