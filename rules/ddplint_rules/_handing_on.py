"""A folder that every rank puts a part of its own into, and that one rank links, moves, lists or removes."""

from __future__ import annotations

from collections.abc import Sequence

from ddplint.rule import Event, PerRank, Walk
from ddplint_rules import _files as files
from ddplint_rules import _meetings as meetings
from ddplint_rules import _paths as paths

__all__ = ["handed_on", "is_own_part"]

_HANDS_ON = frozenset({"link", "move", "list", "delete"})


def is_own_part(event: Event) -> bool:
    """Whether several ranks write, each to a file that is named after it."""
    if event.effect not in ("write", "append") or len(event.ranks) < 2:
        return False
    if not isinstance(files.target_of(event), PerRank):
        return False
    return len({paths.written(event, rank) for rank in event.ranks}) == len(event.ranks)


def handed_on(walk: Walk, part: Event, later: Sequence[Event]) -> Event | None:
    """The first event in which one rank takes the folder while another may still be writing its part."""
    for event in later:
        if event.effect not in _HANDS_ON or not files.by_some(event) or len(event.ranks) > 1:
            continue
        (one,) = event.ranks
        others = [rank for rank in sorted(part.ranks - event.ranks) if _takes(event, one, paths.written(part, rank))]
        if not others or not files.agree(part.path, event.path) or files.side_by_side(walk, part, event):
            continue
        if not any(meetings.comes_before(walk, part, other, event, one) for other in others):
            return event
    return None


def _takes(event: Event, one: int, written: paths.Path) -> bool:
    """Whether what the rank takes is the folder of a file; one that is listed must hold the file itself."""
    folder = _taken(event, one)
    if event.effect == "list":
        return bool(folder) and folder == written[:-1] and paths.finds(event, written, one)
    return folder != written and paths.within(written, folder)


def _taken(event: Event, one: int) -> paths.Path:
    """What is linked, moved, listed or removed; a link's text is seen from the folder that the link stands in."""
    found = paths.looked_at(event, one)
    if event.effect == "link" and len(found) == 1:
        return (*paths.written(event, one)[:-1], *found)
    return found
