"""Code that no walk of a program came to, and that one of several processes runs, as calls lead there."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.values import Varying
from ddplint.analysis.facts.files.existence import asked_again
from ddplint.analysis.facts.ranks import multiplicity
from ddplint.analysis.trace import uniformity
from ddplint.analysis.trace.events import Event, Walk
from ddplint.project.ways.running import Way
from ddplint.source.ancestry import up_to_function


def way_to(walk: Walk, event: Event) -> Way | None:
    """The calls by which all ranks of a program come to the function that an event is in, with the same arguments.

    A walk of that program has seen for itself whether it is one of several processes.
    """
    if walk.index is None or multiplicity.is_apart(walk, event):
        return None
    way = walk.index.ways.to(event.file, event.stack[-1].function)
    if way is None or not way.gives_alike:
        return None
    return None if walk.is_of_a_script and any(step.file is walk.file for step in way.steps) else way


def is_found_by_all(event: Event) -> bool:
    """Whether a path was found on a disk, where all ranks find the same if they share it; not a name looked for."""
    target = event.target
    parts = [one for one in uniformity.parts(target) if isinstance(one, Varying)]
    if not parts or any(one.reason is not Reason.FILESYSTEM or one.trail is None for one in parts):
        return False
    if any(asked_again(origin) for one in parts if one.trail is not None for origin in one.trail.links()):
        return False
    return uniformity.same_for_all(target, disk=True)


def is_in_a_loop(event: Event) -> bool:
    """Whether an event stands in a loop of its function, over what perhaps each rank has for itself."""
    return any(isinstance(one, (cst.For, cst.While)) for one in up_to_function(event.file.ancestors(event.node)))
