"""Notes of findings: what else has to do with it, where a value came from, and what led here."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.findings.model import Located
from ddplint.rule import Event, Note, PerRank, Place, Varying

__all__ = ["came_from", "led_here", "related"]


def related(where: Located, text: str) -> Note:
    """A note on another place that has to do with it."""
    return Note("related", Place.of(where), text)


def came_from(value: PerRank | Varying, text: str) -> Iterator[Note]:
    """Notes on where a value that differs between ranks comes from; the last one says ``text``."""
    links = value.trail.links() if value.trail is not None else ()
    for origin in links:
        yield Note("origin", Place.of(origin), origin.text or text)


def led_here(event: Event) -> Iterator[Note]:
    """Notes on the calls that lead to an event.

    The first step is a definition where the walk began in a function: a framework calls it, or nobody that was seen.
    """
    for frame in event.stack[:-1]:
        if isinstance(frame.node, cst.FunctionDef):
            yield Note("caller", Place.of(frame), f"whoever calls {frame.node.name.value}")
        else:
            yield Note("caller", Place.of(frame), frame.function)
