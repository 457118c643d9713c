"""What one rank removes while other ranks may still be reading it, or have begun to make it anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ddplint.rule import Event, Walk
from ddplint_rules.common import meetings, multiplicity, paths

__all__ = ["Removal", "removals"]

_MAKES_ANEW = frozenset({"append", "copy", "create_dir", "write"})


@dataclass(frozen=True, eq=False)
class Removal:
    """``removed`` by some ranks, and what others do there, ``before`` or after, without waiting for each other."""

    removed: Event
    other: Event
    before: bool


def removals(walk: Walk) -> Iterator[Removal]:
    """Each removal that other ranks may be in the way of, once."""
    for number, event in enumerate(walk.events):
        if event.effect != "delete" or not multiplicity.by_some(event) or not multiplicity.run_together(walk, event):
            continue
        one = min(event.ranks)
        gone = paths.written(event, one)
        if not gone or not multiplicity.is_path(event.details.get("path")):
            continue
        read = next((other for other in walk.events[:number] if _is_read(walk, other, event, gone)), None)
        if read is not None:
            yield Removal(event, read, before=True)
            continue
        made = next((other for other in walk.events[number + 1 :] if _is_made(walk, event, other, gone)), None)
        if made is not None:
            yield Removal(event, made, before=False)


def _is_read(walk: Walk, first: Event, removed: Event, gone: paths.Path) -> bool:
    others = first.ranks - removed.ranks
    if first.effect != "read" or not others or not multiplicity.agree(first.path, removed.path):
        return False
    other = min(others)
    if not paths.within(paths.looked_at(first, other), gone) or multiplicity.side_by_side(walk, first, removed):
        return False
    return not meetings.comes_before(walk, first, other, removed, min(removed.ranks))


def _is_made(walk: Walk, removed: Event, later: Event, gone: paths.Path) -> bool:
    others = later.ranks - removed.ranks
    if later.effect not in _MAKES_ANEW or not others or not multiplicity.agree(removed.path, later.path):
        return False
    other = min(others)
    if not paths.within(paths.written(later, other), gone) or multiplicity.side_by_side(walk, removed, later):
        return False
    return not meetings.comes_before(walk, removed, min(removed.ranks), later, other)
