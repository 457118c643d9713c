"""Where objects are made of which no event tells, and whether a guard stands around an event."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.origins import Guard
from ddplint.analysis.domain.values import Object
from ddplint.analysis.trace.events import Event, Walk
from ddplint.source.ancestry import tree_of
from ddplint.source.file import SourceFile


def made_at(walk: Walk, one: Object) -> tuple[SourceFile, cst.CSTNode] | None:
    """The call that made an object, in one of the files that the events of a walk are in."""
    site = one.site
    files = {id(frame.file): frame.file for event in walk.events for frame in event.stack}
    if not isinstance(site, cst.CSTNode):
        return None
    return next(((file, site) for file in files.values() if site in tree_of(file.module)), None)


def is_around(event: Event, guard: Guard) -> bool:
    """Whether the statement of a guard holds the place of an event, or a call that leads to it.

    Others have left by a decision that stands elsewhere, before.
    """
    tree = tree_of(guard.file.module)
    return any(frame.file is guard.file and tree.contains(guard.statement, frame.node) for frame in event.stack)
