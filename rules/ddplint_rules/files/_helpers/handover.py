"""A folder that every rank puts a part of its own into, and that one rank links, moves, lists or removes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ddplint.rule import Effect, Event, Generator, PerRank, Walk
from ddplint.rule.code import names_called
from ddplint.rule.facts import is_path, paths
from ddplint_rules.files._helpers.polling import is_polled

_HANDS_ON = frozenset({Effect.LINK, Effect.MOVE, Effect.LIST, Effect.DELETE})
_READ = frozenset({Effect.READ})


def _is_own_part(event: Event) -> bool:
    """Whether several ranks write, each to a file that is named after it."""
    if event.effect not in (Effect.WRITE, Effect.APPEND) or len(event.ranks) < 2:
        return False
    if not isinstance(event.target, PerRank):
        return False
    return len({event.written(rank) for rank in event.ranks}) == len(event.ranks)


def taken_early(walk: Walk) -> Iterator[tuple[Event, Event]]:
    """A part that ranks write, and where it is taken while one may still be writing; each place once."""
    seen: set[int] = set()
    for number, first in enumerate(walk.events):
        if not _is_own_part(first) or not walk.run_together(first):
            continue
        second = _handed_on(walk, first, number) or _read_by_another(walk, first, number)
        if second is None or id(second.node) in seen or _is_waited_for(walk.events[number + 1 :], second):
            continue
        seen.add(id(second.node))
        yield first, second


def _is_waited_for(events: Iterable[Event], second: Event) -> bool:
    """Whether who reads looks again and again what is there, then or before."""
    looked = (event for event in events if event.effect in (Effect.EXISTS, Effect.LIST) and event.order <= second.order)
    return any(second.ranks <= event.ranks and is_polled(event) for event in looked)


def _handed_on(walk: Walk, part: Event, number: int) -> Event | None:
    """The first event in which one rank takes the folder while another may still be writing its part."""
    for event in walk.after(number, _HANDS_ON):
        if not event.by_some or len(event.ranks) > 1:
            continue
        (one,) = event.ranks
        others = [rank for rank in sorted(part.ranks - event.ranks) if _takes(event, one, part.written(rank))]
        if not others or _cannot_meet(walk, part, event):
            continue
        if not any(walk.comes_before(part, other, event, one) for other in others):
            return event
    return None


def _read_by_another(walk: Walk, part: Event, number: int) -> Event | None:
    """The first event in which a rank reads the part of another one that may still be writing it."""
    for event in walk.after(number, _READ):
        if _cannot_meet(walk, part, event):
            continue
        if any(_reads(walk, part, event, one, other) for one in event.ranks for other in part.ranks - {one}):
            return event
    return None


def _reads(walk: Walk, part: Event, event: Event, one: int, other: int) -> bool:
    wanted = event.looked_at(one)
    if not wanted or wanted != part.written(other) or wanted == part.written(one):
        return False
    if _is_looked_for(walk, event, wanted, one) or walk.comes_before(part, other, event, one):
        return False
    earlier = [before for before in walk.events if before.order < event.order]
    return not any(_is_written(before, wanted, other) for before in earlier)


def _is_looked_for(walk: Walk, event: Event, wanted: paths.Path, one: int) -> bool:
    """Whether the rank asks for the file before it reads it, and may wait for it."""
    return any(
        other.effect in (Effect.EXISTS, Effect.LIST)
        and other.order < event.order
        and paths.touch(other.looked_at(one), wanted)
        for other in walk.events
    )


def _is_written(event: Event, wanted: paths.Path, other: int) -> bool:
    """Whether a rank puts a file there that is not its own part."""
    if event.effect not in (Effect.WRITE, Effect.APPEND, Effect.COPY, Effect.MOVE, Effect.LINK, Effect.DOWNLOAD):
        return False
    return any(rank != other and event.written(rank) == wanted for rank in event.ranks)


def _takes(event: Event, one: int, written: paths.Path) -> bool:
    """Whether what the rank takes is the folder of a file; one that is listed must hold the file itself."""
    folder = _taken(event, one)
    if event.effect == Effect.LIST:
        return bool(folder) and folder == written[:-1] and event.finds(written, one)
    return folder != written and paths.within(written, folder)


def _taken(event: Event, one: int) -> paths.Path:
    """What is linked, moved, listed or removed; a link's text is seen from the folder that the link stands in."""
    found = event.looked_at(one)
    if event.effect == Effect.LINK and len(found) == 1:
        return (*event.written(one)[:-1], *found)
    return found


_MAKES_ANEW = frozenset({Effect.APPEND, Effect.COPY, Effect.CREATE_DIR, Effect.WRITE})


@dataclass(frozen=True, eq=False)
class Removal:
    """``removed`` by some ranks, and what others do there, ``before`` or after, without waiting for each other."""

    removed: Event
    other: Event
    before: bool


def removals(walk: Walk) -> Iterator[Removal]:
    """Each removal that other ranks may be in the way of, once."""
    for number, event in enumerate(walk.events):
        if event.effect != Effect.DELETE or not event.by_some or not walk.run_together(event):
            continue
        one = min(event.ranks)
        gone = event.written(one)
        if not gone or not is_path(event.details.get("path")):
            continue
        reads = walk.before(number, _READ)
        read = next((other for other in reads if _is_read(walk, other, event, gone)), None)
        if read is not None:
            yield Removal(event, read, before=True)
            continue
        makes = walk.after(number, _MAKES_ANEW)
        made = next((other for other in makes if _is_made(walk, event, other, gone)), None)
        if made is not None:
            yield Removal(event, made, before=False)


def _is_read(walk: Walk, first: Event, removed: Event, gone: paths.Path) -> bool:
    other = min(first.ranks - removed.ranks, default=None)
    if other is None or not paths.within(first.looked_at(other), gone) or _cannot_meet(walk, first, removed):
        return False
    return not walk.comes_before(first, other, removed, min(removed.ranks))


def _is_made(walk: Walk, removed: Event, later: Event, gone: paths.Path) -> bool:
    other = min(later.ranks - removed.ranks, default=None)
    if other is None or not paths.within(later.written(other), gone) or _cannot_meet(walk, removed, later):
        return False
    return not walk.comes_before(removed, min(removed.ranks), later, other)


def _cannot_meet(walk: Walk, first: Event, second: Event) -> bool:
    """Whether two things do not happen in one run, or to one program."""
    return not first.agrees_with(second) or walk.side_by_side(first, second)


_WAITS = frozenset({"barrier", "synchronize", "wait_for_everyone", "rendezvous", "monitored_barrier"})


def unentered(walk: Walk) -> Iterator[Event]:
    """The calls that make such a manager and drop it, or hand it out of another manager in place of entering it."""
    for event in walk.doing(Effect.UNENTERED):
        made = event.receiver
        if not isinstance(made, Generator) or _waits(made):
            yield event


def _waits(made: Generator) -> bool:
    """Whether the ranks wait for each other in a manager of the project."""
    return not _WAITS.isdisjoint(names_called(made.function.node))
