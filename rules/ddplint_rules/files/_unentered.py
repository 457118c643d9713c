"""Managers that let one rank go first, and that nobody enters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ddplint.fixing.recipes.builders import Site
from ddplint.rule import Event, Generator, Walk

__all__ = ["unentered"]

_WAITS = re.compile(r"\b(?:barrier|synchronize|wait_for_everyone|rendezvous|monitored_barrier)\(")


def unentered(walk: Walk) -> Iterator[Event]:
    """The calls that make such a manager and drop it, or hand it out of another manager in place of entering it."""
    for event in walk.events:
        if event.effect != "unentered":
            continue
        made = event.receiver
        if not isinstance(made, Generator) or _waits(made):
            yield event


def _waits(made: Generator) -> bool:
    """Whether the ranks wait for each other in a manager of the project."""
    function = made.function
    code = Site(function.module.file, function.node).module.code_for_node(function.node)
    return _WAITS.search(code) is not None
