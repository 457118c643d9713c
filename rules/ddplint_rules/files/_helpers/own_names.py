"""What ranks do with names that each has drawn for itself, as if all had drawn the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import libcst as cst

from ddplint.rule import MAKES, Const, Effect, Event, Note, Origin, Walk, notes
from ddplint.rule.facts import existence, paths
from ddplint_rules.files._helpers import drawn_names

_USES = frozenset({Effect.READ, Effect.LIST, Effect.WRITE, Effect.APPEND, Effect.COPY, Effect.MOVE, Effect.DELETE})
_WHOLE = frozenset({Effect.NODE_FOLDER, Effect.OPAQUE, Effect.RUN_FOLDER})
_OPENS = frozenset({Effect.WRITE, Effect.APPEND, Effect.READ, Effect.LIST})

_PRIVATE = frozenset({"tempfile.TemporaryDirectory", "tempfile.TemporaryFile", "tempfile.NamedTemporaryFile"})
"""What a rank makes for its own use: it is gone when the rank is done with it."""

Draws = Mapping[int, tuple[Origin, list[Event]]]


def by_draw(walk: Walk) -> Draws:
    """What is done to files whose names were drawn, by the place where they were.

    A name that hangs on whether a folder is there is drawn where the ranks make that folder, which goes with it.
    """
    found: dict[int, tuple[Origin, list[Event]]] = {}
    for event in walk.events:
        origin = drawn_names.draw_of(event) if event.effect in MAKES | _USES | _WHOLE else None
        if origin is not None and walk.run_together(event):
            found.setdefault(id(origin.node), (origin, []))[1].append(event)
    for key, (origin, events) in list(found.items()):
        if drawn_names.is_chosen(origin):
            taken = list(_taken(walk, origin))
            if taken:
                events[:0] = taken
            else:
                del found[key]
    return found


def _taken(walk: Walk, origin: Origin) -> Iterator[Event]:
    """Where several ranks make what they looked for before, and have not met since: the slower ones find it there."""
    looks = [test for test in existence.tests(walk) if test.node is origin.node]
    for made in walk.doing(*MAKES) if looks else ():
        if len(made.ranks) < 2 or _is_agreed(walk, origin, made):
            continue
        test = next((one for one in reversed(looks) if one.order < made.order), None)
        if test is not None and any(_is_made(walk, test, made, rank) for rank in made.ranks & test.ranks):
            yield made


def _is_made(walk: Walk, test: Event, made: Event, rank: int) -> bool:
    """Whether a rank makes what it looked for, or something in it."""
    asked = existence.looked_for(walk, test, rank)
    here = {one for value in drawn_names.paths_in(made) for one in paths.all_paths(value, rank)}
    return any(paths.within(one, folder) for one in here for folder in asked)


def is_contested(walk: Walk, origin: Origin, events: Sequence[Event]) -> bool:
    """Whether ranks may take a free name from each other: it does not say whose it is, and no meeting comes first."""
    own = any(made.effect == Effect.CREATE_DIR and drawn_names.names_rank(made) for made in events)
    return not own and not all(_is_agreed(walk, origin, made) for made in events)


def _is_agreed(walk: Walk, origin: Origin, made: Event) -> bool:
    """Whether all ranks meet between looking for a free name and taking it: they have all seen the same."""
    looks = [one.order for one in walk.events if one.node is origin.node and one.order < made.order]
    met = (one.order for one in walk.doing(Effect.COLLECTIVE) if one.by_all)
    return bool(looks) and any(looks[-1] < order < made.order for order in met)


def led_to_draw(walk: Walk, origin: Origin, made: Event) -> Iterator[Note]:
    """The calls on the way to the last draw of a name before it is used."""
    drawn_here = [one for one in walk.events if one.node is origin.node and one.effect == Effect.LOCAL_VALUE]
    last = next((one for one in reversed(drawn_here) if one.order < made.order), None)
    return notes.led_here(last) if last is not None else iter(())


def kept_by_objects(
    of_walks: Sequence[Draws],
) -> dict[int, tuple[Origin, tuple[Event, Event]]]:
    """Names that an object draws when it is made: one rank creates the folder, and a method of all writes there."""
    found: dict[int, tuple[Origin, tuple[Event, Event]]] = {}
    for draws in of_walks:
        for key, (origin, events) in draws.items():
            folder = next((made for made in events if made.effect == Effect.CREATE_DIR and made.by_some), None)
            if folder is None or origin.text in _PRIVATE:
                continue
            for others in of_walks:
                for used in others[key][1] if others is not draws and key in others else ():
                    if used.effect in _OPENS and used.ranks - folder.ranks:
                        found.setdefault(key, (origin, (folder, used)))
    return found


def shared(walk: Walk, origin: Origin, events: Sequence[Event]) -> tuple[Event, Event] | None:
    """Two events that only fit together if all ranks drew the same name."""
    if origin.text in _PRIVATE:
        return None
    for made in events:
        if made.effect not in MAKES | {Effect.OPAQUE}:
            continue
        for used in events:
            if _is_looked_for_before(origin, made, used):
                return made, used
            if used.order <= made.order or walk.side_by_side(made, used):
                continue
            if filled_by_one(made, used) or _made_by_all(origin, made, used):
                return made, used
    return None


def run_in(walk: Walk, origin: Origin, events: Sequence[Event]) -> Event | None:
    """Where every rank hands a framework the name as the folder of the one run, or of all ranks of a node.

    A temporary folder is to be lost with the run, but what the ranks of a node share they must find there.
    """
    lost = origin.text.startswith("tempfile.")
    wanted = {"node_folder"} if lost else {"node_folder", "run_folder"}
    return next((one for one in events if one.effect in wanted and _keeps(walk, one)), None)


def parts_of_one(origin: Origin, events: Sequence[Event]) -> Event | None:
    """Where every rank puts its part of a checkpoint under the name; a temporary folder is to be lost."""
    if origin.text in _PRIVATE:
        return None
    return next((one for one in events if one.effect == Effect.WRITE and _writes_part(one)), None)


def _writes_part(event: Event) -> bool:
    return event.api is not None and "writes_parts" in event.api.also and event.by_all


def _keeps(walk: Walk, run: Event) -> bool:
    """Whether several ranks are meant to run there together, and what they save is not turned off."""
    known = any(walk.knows_of_ranks(frame.file) for frame in run.stack)
    return known and len(run.ranks) > 1 and run.kwargs.get("save_strategy") != Const("no")


def given_out(walk: Walk, origin: Origin, events: Sequence[Event]) -> Iterator[tuple[Event, cst.CSTNode]]:
    """Where one rank fills what it drew, all ranks meet, and each returns or yields the name that it drew itself."""
    for made in events:
        if not made.by_some or made.effect not in MAKES | {Effect.OPAQUE}:
            continue
        for met in walk.doing(Effect.COLLECTIVE):
            if met.order > made.order and met.by_all:
                yield from ((made, out) for out in drawn_names.given_out(origin, met))


def filled_by_one(made: Event, used: Event) -> bool:
    """One rank writes under its own name and others read under theirs, or it makes a folder that they open files in."""
    opens = _OPENS if made.effect == Effect.CREATE_DIR and _lies_in(used, made) else (Effect.READ, Effect.LIST)
    return made.by_some and used.effect in opens and bool(used.ranks - made.ranks)


def _lies_in(used: Event, made: Event) -> bool:
    """Whether a rank that did not make a folder opens a file where its own name says that the folder would be."""
    rank = min(used.ranks - made.ranks, default=None)
    if rank is None:
        return False
    folders = {one for value in drawn_names.paths_in(made) for one in paths.all_paths(value, rank)}
    files = {one for value in drawn_names.paths_in(used) for one in paths.all_paths(value, rank)}
    return any(len(file) > len(folder) and paths.within(file, folder) for file in files for folder in folders)


def _is_looked_for_before(origin: Origin, made: Event, used: Event) -> bool:
    """One rank writes what all look for in later runs: the salt of a hash is another one in each process."""
    return drawn_names.is_salted(origin) and made.effect in (Effect.WRITE, Effect.COPY) and filled_by_one(made, used)


def _made_by_all(origin: Origin, made: Event, used: Event) -> bool:
    """Every rank creates its own folder, and one writes there, or each writes a part named after it.

    One that writes into a temporary folder of its own does what that is for; so does one that writes under its own name
    into a folder that has one name for all.
    """
    if made.effect != Effect.CREATE_DIR or len(made.ranks) < 2:
        return False
    drawn = drawn_names.draw_of(made)
    alone = used.by_some and drawn is not None and not origin.text.startswith("tempfile.")
    return used.effect in _OPENS and (alone or drawn_names.names_rank(used))
