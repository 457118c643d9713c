"""Notes of findings: what else has to do with it, where a value came from, and what led here."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.findings.model import Located
from ddplint.rule import Event, Guard, Note, PerRank, Place, Varying

__all__ = ["came_from", "led_here", "parted_at", "related"]


def related(where: Located, text: str) -> Note:
    """A note on another place that has to do with it."""
    return Note("related", Place.of(where), text)


def came_from(value: PerRank | Varying, text: str) -> Iterator[Note]:
    """Notes on where a value that differs between ranks comes from; the last one says ``text``."""
    links = value.trail.links() if value.trail is not None else ()
    for origin in links:
        yield Note("origin", Place.of(origin), origin.text or text)


def parted_at(guard: Guard, text: str, origin: str = "differs by rank") -> Iterator[Note]:
    """Notes on a condition that parts ranks: where what it asks for comes from, and the condition, which says ``text``.

    Parameters: ``origin``, what a place says from which it comes, where nothing better is known.
    """
    for one in guard.origins:
        if one.node is not guard.node:
            yield Note("origin", Place.of(one), one.text or origin)
    yield Note("guard", Place.of(guard), text)


def led_here(event: Event) -> Iterator[Note]:
    """Notes on the calls that lead to an event.

    The first step is a definition where the walk began in a function: a framework calls it, or nobody that was seen.
    """
    for frame in event.stack[:-1]:
        if isinstance(frame.node, cst.FunctionDef):
            yield Note("caller", Place.of(frame), f"whoever calls {frame.node.name.value}")
        else:
            yield Note("caller", Place.of(frame), frame.function)
