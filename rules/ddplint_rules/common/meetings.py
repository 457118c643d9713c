"""Which of two things on different ranks surely comes first: the ranks must meet in between."""

from __future__ import annotations

from ddplint.rule import Event, Walk
from ddplint_rules.common.multiplicity import agree

_MEETS = frozenset({"collective", "construct", "init", "save_all_ranks", "backward", "forward", "step"})
"""Effects after which no rank is left behind."""


def comes_before(walk: Walk, first: Event, one: int, second: Event, other: int) -> bool:
    """Whether rank ``one`` has surely done ``first`` by the time rank ``other`` does ``second``.

    The ranks meet in their n-th meeting each, so ``other`` must have come through more meetings than ``one`` had. A
    call in between that could not be followed may be such a meeting; one that ``one`` alone would go to, if something
    held that need not hold, may be none. Ranks that parted long before come to one place each for themselves.
    """
    if _may_meet(walk, first, one, second, other):
        return True
    before = _meetings(walk, first, one, (first, second))
    after = _meetings(walk, second, other, (first, second))
    met = {id(event.node) for event in after}
    alone = (event for event in before if other not in event.ranks and id(event.node) not in met)
    perhaps = sum(1 for event in alone if not event.path.items() <= first.path.items())
    return len(after) > len(before) - perhaps


def _may_meet(walk: Walk, first: Event, one: int, second: Event, other: int) -> bool:
    """Whether a call that could not be followed may bring both together: what one rank calls alone does not."""
    between = [event for event in walk.events if first.order < event.order < second.order]
    unclear = {rank for event in between if event.effect == "opaque" for rank in event.ranks}
    known = {rank for event in between if event.effect in _MEETS for rank in event.ranks}
    return bool(unclear & {one, other}) and {one, other} <= unclear | known


def _meetings(walk: Walk, until: Event, rank: int, both: tuple[Event, Event]) -> list[Event]:
    return [
        event
        for event in walk.events
        if event.effect in _MEETS
        and event.order < until.order
        and rank in event.ranks
        and all(agree(event.path, place.path) for place in both)
        and _communicates(event)
    ]


def _communicates(event: Event) -> bool:
    if event.effect in ("forward", "backward"):
        return event.details.get("wrapped") is not None
    return True


def starts_later(walk: Walk, second: Event) -> bool:
    """Whether a framework may have started no other process yet: its trainer runs later, and nobody has met so far."""
    starts = [event.order for event in walk.events if event.api is not None and "starts_ranks" in event.api.also]
    met = (event.order for event in walk.events if event.effect in ("init", "collective", "construct"))
    return bool(starts) and second.order < min(starts) and not any(order < second.order for order in met)
