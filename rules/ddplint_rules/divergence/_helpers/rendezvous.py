"""Where the ranks are to meet: an address that each of them draws for itself is another one on each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from ddplint.rule import Const, Effect, Event, Reason, Value, Varying, Walk, terms
from ddplint.rule.code import last_part
from ddplint.rule.facts import is_test, last_name

_METHOD, _PORT = "init_method", "MASTER_PORT"
_OF_ENVIRONMENT = (None, Const(None), Const("env://"))


class Meeting(NamedTuple):
    """A start of the process group, and where each rank draws the port at which it does so."""

    start: Event
    draw: Event


def apart(walk: Walk) -> Iterator[Meeting]:
    """The starts of the process group for which all ranks draw a port, each its own."""
    for start in walk.doing(Effect.INIT):
        if last_name(start.name) != "init_process_group" or start.argument("store", 5) not in (None, Const(None)):
            continue
        if start.alone or is_test(start.file) or _is_one(_size(walk, start)):
            continue
        place = start.argument(_METHOD, 1)
        drawn = _drawn(walk, _set(walk, start, _PORT) if place in _OF_ENVIRONMENT else place, start)
        if drawn is not None and start.by_all and len(start.ranks) > 1:
            yield Meeting(start, drawn)


def _size(walk: Walk, start: Event) -> Value | None:
    """How many processes there are, as far as the start says so."""
    given = start.argument("world_size", 3)
    return given if given not in (None, Const(-1)) else _set(walk, start, "WORLD_SIZE")


def _is_one(size: Value | None) -> bool:
    return isinstance(size, Const) and str(size.value) == "1"


def _set(walk: Walk, start: Event, name: str) -> Value | None:
    """What the program has set in its environment before, for all ranks that come to the start."""
    for event in reversed(walk.doing(Effect.SET_ENV)):
        if event.order < start.order and event.args[:1] == (Const(name),) and event.agrees_with(start):
            sure = set(start.ranks) <= set(event.ranks) and event.path.items() <= start.path.items()
            return event.args[1] if sure else None
    return None


def _drawn(walk: Walk, value: Value | None, start: Event) -> Event | None:
    """Where ranks have drawn what a value is made of; None where the one process that starts them all has."""
    if not isinstance(value, Varying) or value.reason is not Reason.RANDOM:
        return None
    parts = set(terms.terms_in(value))
    for event in walk.doing(Effect.LOCAL_VALUE):
        if isinstance(event.result, Varying) and event.result.symbol in parts and event.order < start.order:
            if _is_default(event):
                return None
            nodes = {id(frame.node) for frame in start.stack}
            launches = (one for one in walk.doing(Effect.LAUNCH) if id(one.node) in nodes)
            return event if event.by_all and not any(one.order > event.order for one in launches) else None
    return None


def _is_default(drawn: Event) -> bool:
    """Whether it is what an option has where nobody says it."""
    return any(
        isinstance(node, cst.Call) and last_part(node.func) == "add_argument"
        for node in drawn.file.ancestors(drawn.node)
    )
