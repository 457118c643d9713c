"""How much processor time a file may take. Whoever does work of unknown size asks from time to time, and stops."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

SPENT = "time budget used up"
"""In the text of every limit that is due to time: such a result is not kept."""
_WALK, _RULES = 0.55, 0.25
"""The shares that the walk with the comparison, and the rules, may take: rules speak of what was seen by then.

The rest is for a coarser walk where the time or the steps did not suffice.
"""
_MASK = 63

T = TypeVar("T")


class OutOfTime(Exception):
    """The time for the file is used up."""


class Budget:
    """The time of one file, in processor seconds of this thread; ``cut``: somebody was stopped."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._until = time.thread_time() + seconds * _WALK
        self.cut = False

    def begin_rules(self) -> None:
        """From now on the share of the rules counts, however much the walk has taken."""
        self._until = time.thread_time() + self._seconds * _RULES

    def begin_again(self, rungs: int) -> None:
        """From now on what is left for coarser walks counts, as one of ``rungs`` equal parts."""
        self._until = time.thread_time() + self._seconds * (1 - _WALK - _RULES) / rungs

    def is_spent(self) -> bool:
        """Whether nothing is left of the share of the walk, or of the rules."""
        over = time.thread_time() > self._until
        self.cut |= over
        return over


_present = threading.local()


@contextmanager
def allowed(seconds: float) -> Iterator[Budget | None]:
    """Let what this thread does inside take so many processor seconds; 0 or less: as many as it wants."""
    outer: Budget | None = getattr(_present, "budget", None)
    _present.budget = budget = Budget(seconds) if seconds > 0 else None
    try:
        yield budget
    finally:
        _present.budget = outer


def is_spent(count: int = 0) -> bool:
    """Whether the time is used up. ``count``, of steps: the clock is read at some of them only."""
    if count & _MASK:
        return False
    budget: Budget | None = getattr(_present, "budget", None)
    return budget is not None and budget.is_spent()


class Watched(list[T], Generic[T]):
    """A list that rules go through again and again. Raises :class:`OutOfTime` at the beginning of each time."""

    def __iter__(self) -> Iterator[T]:
        if is_spent():
            raise OutOfTime
        return super().__iter__()
