"""Files that change while ranks look at them, so that not all see the same."""

from __future__ import annotations

from collections.abc import Sequence

from ddplint.analysis.domain import term as terms
from ddplint.analysis.domain.effects import CHANGES, Effect
from ddplint.analysis.domain.origins import GuardKind
from ddplint.analysis.domain.values import Const, Value
from ddplint.analysis.trace import paths
from ddplint.analysis.trace.events import Divergence, Event, Walk

_NEAR = 5
"""Lines above a condition in which a variable of it may be set."""

_MAY_MEET = frozenset({Effect.CONSTRUCT, Effect.INIT, Effect.OPAQUE, Effect.STEP})
_CHANGES = CHANGES | {Effect.SAVE_ANY}


def changes_meanwhile(walk: Walk, divergence: Divergence) -> bool:
    """Whether what the condition looks at changes while ranks look, with no wait between the change and the look.

    Some ranks alone may have changed it just before. Or a rank that has looked changes it right after, before a slower
    one has looked.
    """
    causes = {id(origin.node) for origin in divergence.guard.origins} | {id(divergence.guard.node)}
    looks = [event for event in walk.events if id(event.node) in causes]
    changes = walk.doing(*_CHANGES)
    meetings = sorted(event.order for event in walk.events if _waits(event))
    perhaps = sorted(event.order for event in walk.events if _may_wait(event))
    return any(
        _changes(change, look)
        for look in looks
        for change in changes
        if (_alone(change) and _follows(change, look, meetings))
        or (_right_after(divergence, look, change) and _follows(look, change, perhaps))
    )


def _follows(first: Event, then: Event, meetings: Sequence[int]) -> bool:
    """Whether one event comes after another one, and all ranks meet nowhere between them."""
    return first.order < then.order and not any(first.order < order < then.order for order in meetings)


def _right_after(divergence: Divergence, look: Event, change: Event) -> bool:
    """Whether the ranks that looked go on to the change in the same run of the function; who polls waits for it."""
    depth = len(look.stack) - 1
    same = len(change.stack) > depth and all(a.node is b.node for a, b in zip(look.stack[:depth], change.stack))
    return same and divergence.guard.kind is not GuardKind.WHILE and _asks(divergence, look)


def _asks(divergence: Divergence, look: Event) -> bool:
    """Whether the condition itself looks, or a variable set just above it: what happens behind it comes right after."""
    if look.file is not divergence.guard.file:
        return False
    condition, place = look.file.range_of(divergence.guard.node), look.file.range_of(look.node)
    return condition.start_line - _NEAR <= place.start_line <= condition.end_line


def _alone(event: Event) -> bool:
    return event.effect in _CHANGES and not event.by_all


def _waits(event: Event) -> bool:
    return event.effect in (Effect.COLLECTIVE, Effect.SAVE_ALL_RANKS) and event.by_all


def _may_wait(event: Event) -> bool:
    if event.effect in (Effect.FORWARD, Effect.BACKWARD):
        return event.details.get("wrapped") is not None
    return _waits(event) or (event.effect in _MAY_MEET and event.by_all)


def _changes(change: Event, look: Event) -> bool:
    """Whether a change makes the look see something else.

    The same path does; what is written into a folder does where the look lists it, a new folder inside does not.
    """
    seen = look.details.get("path")
    for touched in (change.details.get("path"), change.details.get("target")):
        if touched is None or seen is None:
            continue
        if touched == seen or _is_made_alike(touched, seen):
            return change.effect != Effect.CREATE_DIR or look.effect != Effect.LIST
        if isinstance(touched, Const) and isinstance(seen, Const) and change.effect != Effect.CREATE_DIR:
            return str(touched.value).startswith(f"{str(seen.value).rstrip('/')}/")
        if change.effect == Effect.DOWNLOAD and _begins_with(seen, touched):
            return True  # into the folder of the file that is looked for
    return False


def _begins_with(path: Value, folder: Value) -> bool:
    """Whether a path is put together of a folder and a name."""
    outer, whole = paths.pieces(folder), paths.pieces(path)
    return bool(outer) and len(whole) > len(outer) and whole[: len(outer)] == outer


def _is_made_alike(one: Value, other: Value) -> bool:
    """Whether two paths that are one of the same few each were put together twice from the same parts."""
    return _alternatives(one) == _alternatives(other) != ()


def _alternatives(value: Value) -> tuple[object, ...]:
    term = terms.term_of(value)
    return term.ways if isinstance(term, terms.Joined) else ()
