"""What all ranks write alike, so little of it that only a reader beside them could be hurt, and there is none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.term import Call
from ddplint.analysis.domain.values import Const, Object, Unknown, Value, Varying
from ddplint.analysis.facts.files.before_meeting import is_fixed
from ddplint.analysis.facts.files.sharing import is_named_after_saving, is_opened_by
from ddplint.analysis.facts.ranks import order
from ddplint.analysis.trace import paths, uniformity
from ddplint.analysis.trace.events import Event, Walk
from ddplint.analysis.trace.targets import is_path
from ddplint.knowledge import load_knowledge, tables

_PUTS = frozenset({Effect.WRITE, Effect.FILL})
_MADE_BY_A_RUN = ("batch", "output")
"""What loaders and models give: it may be much, and each rank has its own."""

_CHANGES = frozenset({Effect.WRITE, Effect.COPY, Effect.FILL})
_READS = frozenset({Effect.READ, Effect.UPLOAD})
"""A list of names tells nothing about what the files hold."""


def is_alike_and_unread(event: Event, walks: Sequence[Walk]) -> bool:
    """Whether the ranks write the same few lines, and each meets the others before one reads or changes the file.

    Then the file is whole and right whoever comes first, and what is lost is the time for writing it.
    """
    walk = next((one for one in walks if any(other is event for other in one.events)), None)
    if walk is None or event.effect not in (Effect.WRITE, Effect.COPY):
        return False
    if event.effect == Effect.COPY and _is_made_here(event, walks):
        return False
    return _is_little(event, walk) and not any(_is_in_the_way(walk, event, one, other) for one, other in _others(walks))


def _others(walks: Sequence[Walk]) -> Iterator[tuple[Walk, Event]]:
    return ((walk, event) for walk in walks for event in walk.events)


def _is_made_here(copied: Event, walks: Sequence[Walk]) -> bool:
    """Whether the program itself writes what is copied."""
    source = copied.looked_at(min(copied.ranks))
    changes = (
        event
        for _, event in _others(walks)
        if event.effect in (Effect.WRITE, Effect.APPEND, Effect.MOVE, Effect.DOWNLOAD)
    )
    return not source or any(paths.touch(event.written(min(event.ranks)), source) for event in changes)


def _is_little(event: Event, walk: Walk) -> bool:
    puts = [other for other in walk.events if puts_into(event, other)]
    binary = (value for put in puts for value in _content(put)) if _is_binary(event) else ()
    if not all(isinstance(value, Const) or _are_settings(value) for value in binary):
        return False
    if event.details.get("mode") is not None:
        return all(map(_is_plain, puts)) if puts else is_fixed(event)
    return all(map(_is_plain, (event, *puts)))


def _is_binary(event: Event) -> bool:
    mode = event.details.get("mode")
    return isinstance(mode, Const) and "b" in str(mode.value)


def _content(event: Event) -> Sequence[Value]:
    """What a call writes, without the stream that it writes into."""
    handle = event.details.get("handle")
    return [value for value in event.details.get("content", ()) if handle is None or value != handle]


def puts_into(opened: Event, other: Event) -> bool:
    """Whether an event puts something into the file that another opened."""
    path = opened.details.get("path")
    streams = (other.details.get("handle"), other.details.get("path"))
    return other.effect in _PUTS and any(isinstance(one, Object) and one.args[:1] == (path,) for one in streams)


def _is_plain(event: Event) -> bool:
    """Whether a call writes one text or setting that is the same for all."""
    row, content = event.api, _content(event)
    little = row is not None and (row.small or (bool(content) and all(map(_are_settings, content))))
    return (
        little and not any(map(_may_be_own, content)) and not any(_gives_samples(loop.source) for loop in event.loops)
    )


def _gives_samples(source: Value | None) -> bool:
    """Whether a loop goes over a data set: what is written for each sample is more than a few lines."""
    names = [part.name for part in uniformity.parts(source) if isinstance(part, Object)]
    return any(tables.begins(kind, name) for kind in ("map_style", "whole_sets") for name in names)


def _are_settings(value: Value) -> bool:
    """Whether it is an object of settings: of such a class, or given by what parses them."""
    if isinstance(value, Object):
        own = load_knowledge().usual(value.name)
        return not _SETTINGS.isdisjoint((own, *load_knowledge().bases(own)))
    made = value.symbol if isinstance(value, Unknown) else None
    return isinstance(made, Call) and isinstance(made.name, str) and load_knowledge().usual(made.name) in _SETTINGS


_SETTINGS = load_knowledge().quiet("settings")


def _may_be_own(value: Value) -> bool:
    differing = uniformity.differing([value])
    if differing is not None:
        return not (isinstance(differing, Varying) and differing.reason is Reason.FILESYSTEM)
    parts = [part for part in uniformity.parts(value) if isinstance(part, Unknown)]
    return any(paths.holds(part, *_MADE_BY_A_RUN) for part in parts)


def _is_in_the_way(walk: Walk, event: Event, there: Walk, other: Event) -> bool:
    """Whether a rank may look into the file, or put something else there, while another is still writing it."""
    if other is event or not _concerns(event, other) or not event.agrees_with(other):
        return False
    pairs = [(one, two) for one in event.ranks for two in other.ranks if one != two]
    if there is not walk:
        return bool(pairs)
    return any(
        not order.comes_before(walk, event, one, other, two) and not order.comes_before(walk, other, two, event, one)
        for one, two in pairs
    )


def _concerns(event: Event, other: Event) -> bool:
    path = event.written(min(event.ranks))
    if other.effect in _CHANGES and other.ranks == event.ranks:
        return False  # all of them do it again, or go on with it
    if other.effect == Effect.OPAQUE and other.ranks == event.ranks and is_named_after_saving(other):
        return False  # into the same folder
    if other.effect == Effect.OPAQUE:
        return any(is_path(value) and paths.path_of(value) == path for value in _given(other))
    if is_opened_by(other, [event]):
        return False
    if other.effect in _PUTS | {Effect.APPEND, Effect.COPY}:
        return path in _places(other)  # what else is put into a folder is no matter
    if other.effect in (Effect.DELETE, Effect.MOVE):
        return any(paths.within(path, found) for found in _places(other))
    return other.effect in _READS and any(paths.touch(found, path) for found in _places(other))


def _given(event: Event) -> Iterator[Value]:
    for value in (*event.args, *event.kwargs.values()):
        if not isinstance(value, Const) or isinstance(value.value, str):
            yield value


def _places(event: Event) -> Iterator[paths.Path]:
    rank = min(event.ranks)
    found = (event.written(rank), event.looked_at(rank))
    yield from (path for path in found if path)
