"""What only one rank goes on to do: the one whose exclusive creation of a file or folder succeeded."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.facts.files.existence import asked_on_the_way, ends_in
from ddplint.analysis.facts.handlers import catches, is_exclusive
from ddplint.analysis.facts.ranks.order import always_before
from ddplint.analysis.trace import uniformity
from ddplint.analysis.trace.events import Event, Walk
from ddplint.source.ancestry import Tree, tree_of, up_to_function
from ddplint.util.kept import kept

_LEAVES = (cst.Return, cst.Raise, cst.Continue, cst.Break)


def is_claimed(walk: Walk, event: Event) -> bool:
    """Whether a rank comes to an event only after it alone has created a file or folder that was not there.

    A creation that stands by itself is no claim: whoever raises there ends the job, and means no harm to the rest.
    """
    return any(
        claim.order < event.order
        and event.ranks <= claim.ranks
        and always_before(claim, event)
        and _goes_on_alone(claim, event)
        for claim in _claims(walk)
    )


@kept
def _claims(walk: Walk) -> list[Event]:
    """The exclusive creations of a walk under a name that is the same for all ranks."""
    made = [event for event in walk.events if is_exclusive(event)]
    return [event for event in made if uniformity.same_for_all(event.target)]


def _goes_on_alone(claim: Event, event: Event) -> bool:
    """Whether a rank whose creation failed does not come to the event."""
    watching = list(_watching(claim))
    if not watching:
        looked = any(guard.reason is Reason.FILESYSTEM for guard in claim.guards)
        return looked or asked_on_the_way(claim)
    return all(_is_beyond(tree, block, event) for tree, block in watching)


def _watching(claim: Event) -> Iterator[tuple[Tree, cst.Try]]:
    """The ``try`` statements around a creation that catch what it raises."""
    for frame in claim.stack:
        tree, below = tree_of(frame.file.module), frame.node
        for step in up_to_function(tree.ancestors(frame.node)) if frame.node in tree else ():
            if isinstance(step, cst.Try) and below is step.body and any(map(catches, step.handlers)):
                yield tree, step
            below = step


def _is_beyond(tree: Tree, block: cst.Try, event: Event) -> bool:
    """Whether an event is where only those come that raised nothing: in the body, in ``else``, behind who leaves."""
    here = [frame.node for frame in event.stack if frame.node in tree]
    if any(tree.contains(handler, node) for handler in block.handlers for node in here):
        return False
    inside = (block.body, *([block.orelse] if block.orelse is not None else []))
    if any(tree.contains(part, node) for part in inside for node in here):
        return True
    return all(ends_in(handler.body, *_LEAVES) for handler in block.handlers if catches(handler))
