"""Answers about a whole walk, which rules ask for at every event."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ddplint.rule import Walk

Answer = TypeVar("Answer")


def kept(question: Callable[[Walk], Answer]) -> Callable[[Walk], Answer]:
    """The question, worked out once for as long as the same walk is asked about."""
    latest: list[tuple[Walk, Answer]] = []

    def asked(walk: Walk) -> Answer:
        if not latest or latest[0][0] is not walk:
            latest[:] = [(walk, question(walk))]
        return latest[0][1]

    return asked
