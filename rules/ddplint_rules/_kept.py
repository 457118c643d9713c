"""Answers about a whole walk, which rules ask for at every event."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar
from weakref import WeakKeyDictionary

from ddplint.rule import Walk

Answer = TypeVar("Answer")


def kept(question: Callable[[Walk], Answer]) -> Callable[[Walk], Answer]:
    """The question, worked out once for each walk."""
    known: WeakKeyDictionary[Walk, Answer] = WeakKeyDictionary()

    def asked(walk: Walk) -> Answer:
        try:
            return known[walk]
        except KeyError:
            return known.setdefault(walk, question(walk))

    return asked
