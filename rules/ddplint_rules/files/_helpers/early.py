"""A file or folder that a rank uses before it has waited for the one that makes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ddplint.rule import MAKES, PUTS, Effect, Event, Symbol, Value, Walk
from ddplint.rule.facts import command_targets, is_path, passed_over, paths, takes_some
from ddplint_rules.files._helpers.polling import is_polled, sleeps_beside

_READS = frozenset({Effect.READ, Effect.LIST, Effect.COPY, Effect.MOVE, Effect.DELETE})
_LOADS = _READS | {Effect.DOWNLOAD}
"""What reads a file of this machine: ``from_pretrained`` takes a folder as well as a name on the hub."""
_USES = _LOADS | PUTS
_NAMED = "pretrained_model_name_or_path"
_FOLDERS = frozenset({"save_directory", "output_dir"})


def early_uses(walk: Walk) -> Iterator[tuple[Event, Event]]:
    """What one rank makes, and where another uses it that has not waited; each place of use once."""
    seen: set[int] = set()
    for number, first in enumerate(walk.events):
        if not _makes(first) or not first.by_some or not walk.run_together(first) or sleeps_beside(first):
            continue
        second = _too_early(walk, first, walk.after(number, _USES))
        if second is not None and id(second.node) not in seen:
            seen.add(id(second.node))
            yield first, second


def _makes(event: Event) -> bool:
    return event.effect in MAKES or bool(command_targets.written(event, min(event.ranks)))


def _too_early(walk: Walk, first: Event, later: Iterable[Event]) -> Event | None:
    """The first event in which a rank that did not make the file uses it, and did not wait for who made it."""
    one = min(first.ranks)
    by_command = command_targets.written(first, one)
    target = first.details.get("target") or first.details.get("path")
    for second in later:
        others = second.ranks - first.ranks
        if not others or not first.agrees_with(second):
            continue
        made, other = by_command or _written(target, one, {**first.path, **second.path}), min(others)
        if not made or not _uses(walk, first, second, made, other) or walk.side_by_side(first, second):
            continue
        if walk.comes_before(first, one, second, other) or _made_itself(walk, first, second, made, other):
            return None
        return second
    return None


def _written(target: Value | None, rank: int, known: Mapping[Symbol, bool]) -> paths.Path:
    """The path that a rank writes in a run in which this is known: an option may choose between two."""
    chosen = paths.where(target, known) if target is not None else None
    return paths.path_of(chosen, rank) if is_path(chosen) else ()


def _uses(walk: Walk, first: Event, second: Event, made: paths.Path, other: int) -> bool:
    if fills(first, second):
        inside = second.written(other)
        return inside != made and paths.within(inside, made)
    if first.effect != Effect.WRITE and (second.effect == Effect.DOWNLOAD or (_is_named(first) and _is_named(second))):
        return False  # what is fetched twice is the hub's
    if second.effect not in _LOADS or (first.effect == Effect.CREATE_DIR and second.effect != Effect.LIST):
        return False
    if first.effect == Effect.CREATE_DIR and second.api is not None and second.api.missing_ok:
        folder = second.looked_at(other)
        if made == folder or not paths.within(made, folder):
            return False  # a folder that is not there is as good as an empty one
    if first.effect == Effect.CREATE_DIR and takes_some(second):
        return False  # who has just made the folder would fail there, too
    if second.effect == Effect.DELETE and second.written(other) == made and walk.writers(second).tolerate_absence:
        return False  # what is not there yet is not missed
    if first.effect == Effect.APPEND and second.effect == Effect.READ and second.looked_at(other) != made:
        return False  # a log in a folder is not what the folder is read for
    ways = second.ways_looked_at(other, {**first.path, **second.path})
    found = any(paths.touch(way, made) for way in ways) and second.finds(made, other)
    return found and not passed_over(second, made, other)


def _is_named(event: Event) -> bool:
    """Whether it takes a name on a hub as well as a folder, and fetches what is not there yet."""
    return event.api is not None and event.api.path.name == _NAMED


def fills(first: Event, second: Event) -> bool:
    """Whether a rank writes into a folder that another one makes."""
    return first.effect == Effect.CREATE_DIR and second.effect in PUTS and not _takes_folder(second)


def _takes_folder(event: Event) -> bool:
    """Whether a call is given the folder that it writes into (``save_pretrained``), and makes it."""
    return event.api is not None and event.api.path.name in _FOLDERS


def _made_itself(walk: Walk, first: Event, second: Event, made: paths.Path, other: int) -> bool:
    """Whether the rank made the file or folder itself, or polled for it. A folder of its own making may be empty."""
    makes = MAKES if first.effect == Effect.CREATE_DIR else MAKES - {Effect.CREATE_DIR}
    for event in walk.events:
        if other not in event.ranks or event.order >= second.order or event is first:
            continue
        if event.effect in makes and paths.within(event.written(other), made):
            return True
        if event.effect in (Effect.EXISTS, Effect.LIST) and event.order > first.order and is_polled(event):
            return True
    return False
