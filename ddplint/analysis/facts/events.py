"""What happened in a walk, by what it does: most questions are about a few of its many events."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from ddplint.analysis.facts.memo import kept

if TYPE_CHECKING:
    from ddplint.analysis.domain.effects import Effects
    from ddplint.analysis.domain.facts import Event, Walk

__all__ = ["after", "before", "of"]


@kept
def of(walk: Walk, effects: Effects) -> Sequence[Event]:
    """The events with one of these effects, in their order."""
    return [event for event in walk.events if event.effect in effects]


def after(walk: Walk, number: int, effects: Effects) -> Iterator[Event]:
    """Those of them that stand behind the event with this number in the walk."""
    return islice(of(walk, effects), bisect_right(_numbers(walk, effects), number), None)


def before(walk: Walk, number: int, effects: Effects) -> Iterator[Event]:
    """Those of them that stand before it."""
    return islice(of(walk, effects), bisect_left(_numbers(walk, effects), number))


@kept
def _numbers(walk: Walk, effects: Effects) -> list[int]:
    return [number for number, event in enumerate(walk.events) if event.effect in effects]
