"""Where objects are made of which no event tells."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.values import Object
from ddplint.analysis.trace.events import Walk
from ddplint.source.ancestry import tree_of
from ddplint.source.file import SourceFile


def made_at(walk: Walk, one: Object) -> tuple[SourceFile, cst.CSTNode] | None:
    """The call that made an object, in one of the files that the events of a walk are in."""
    site = one.site
    files = {id(frame.file): frame.file for event in walk.events for frame in event.stack}
    if not isinstance(site, cst.CSTNode):
        return None
    return next(((file, site) for file in files.values() if site in tree_of(file.module)), None)
