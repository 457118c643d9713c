"""Ranks that look again and again for what another one makes, and raise when that takes too long."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from ddplint.rule import MAKES, Effect, Event, Guard, GuardKind, Reason, Walk
from ddplint.rule.code import Site, descend, figures
from ddplint.rule.facts import kept, paths

_SHORT = 60.0
"""Seconds that a shared file system under load may well take to show what another node has written."""


@dataclass(frozen=True)
class Poll:
    """A ``test`` for what ``made`` makes, repeated for ``seconds`` at most."""

    test: Event
    made: Event
    seconds: float


def is_polled(event: Event) -> bool:
    """Whether something is looked for again and again, in a ``while`` just around it."""
    return bool(event.loops) and event.loops[-1].source is None


def sleeps_beside(event: Event) -> bool:
    """Whether the ranks that a test of who they are keeps from an event go round a ``while`` and sleep instead."""
    asked_who = (guard for guard in event.guards if guard.reason is Reason.IDENTITY)
    return any(isinstance(guard.statement, cst.If) and _sleeps(guard) for guard in asked_who)


def _sleeps(guard: Guard) -> bool:
    loops = (node for node in descend(guard.statement) if type(node) is cst.While)
    return any(type(node) is cst.Call and _is_sleep(node.func) for loop in loops for node in descend(loop))


def _is_sleep(function: cst.BaseExpression) -> bool:
    name = function.attr if isinstance(function, cst.Attribute) else function
    return isinstance(name, cst.Name) and name.value == "sleep"


def polls(walk: Walk) -> Iterator[Poll]:
    """The tests for a path that one rank makes, in a loop that ends in a ``raise`` within a minute."""
    for event in walk.events:
        clock = event.guards[-1] if event.effect == Effect.RAISE and event.guards else None
        if clock is None or clock.reason is not Reason.CLOCK:
            continue
        seconds = _limit(event, clock)
        if seconds is None or seconds > _SHORT:
            continue
        for guard in event.guards:
            if guard.kind is GuardKind.WHILE:
                yield from _of_loop(walk, guard, event, seconds)


def _of_loop(walk: Walk, guard: Guard, event: Event, seconds: float) -> Iterator[Poll]:
    for test in walk.tests_at(guard):
        made = _made(walk, test) if test.order < event.order else None
        if made is not None:
            yield Poll(test, made, seconds)


@kept
def _makers(walk: Walk) -> list[tuple[Event, paths.Path]]:
    """What is made on some ranks only, and the path of it."""
    some = [made for made in walk.doing(*MAKES) if made.by_some]
    return [(made, made.written(min(made.ranks))) for made in some if walk.run_together(made)]


@kept
def _made(walk: Walk, test: Event) -> Event | None:
    """What makes the path that is looked for, on some ranks only, while the others may be here already."""
    for made, written in _makers(walk):
        others = test.ranks - made.ranks
        if made.order > test.order or not others:
            continue
        one, other = min(made.ranks), min(others)
        path = test.looked_at(other)
        if not path or written != path:
            continue
        if made.agrees_with(test) and not walk.comes_before(made, one, test, other):
            return made
    return None


def _limit(event: Event, clock: Guard) -> float | None:
    """The number of seconds that the clock is compared with, if it is written out."""
    test = clock.node
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
        return None
    if not isinstance(test.comparisons[0].operator, (cst.GreaterThan, cst.GreaterThanEqual)):
        return None
    limit = test.comparisons[0].comparator
    if isinstance(limit, cst.Name):
        given = _given(event, clock, limit.value)
        return None if given is None else _number(given)
    return _number(limit)


def _given(event: Event, clock: Guard, name: str) -> cst.BaseExpression | None:
    """What the function that polls gets under a name: from its caller, or by default."""
    function = Site(clock.file, clock.node).function
    params = [] if function is None else [*function.params.params, *function.params.kwonly_params]
    names = [param.name.value for param in params]
    call = event.stack[-2].node if len(event.stack) > 1 else None
    if name not in names:
        return None
    for number, arg in enumerate(call.args if isinstance(call, cst.Call) else ()):
        if (arg.keyword is None and number == names.index(name)) or (arg.keyword and arg.keyword.value == name):
            return arg.value
    return params[names.index(name)].default


def _number(node: cst.BaseExpression) -> float | None:
    return figures.decimal(node.value) if isinstance(node, (cst.Integer, cst.Float)) else None
