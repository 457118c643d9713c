"""What each group of ranks does where they part, as it happens at run time: the columns of a finding."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import libcst as cst

from ddplint.rule import (
    Divergence,
    DivergenceKind,
    Effect,
    Event,
    Frame,
    Operation,
    Outcome,
    Place,
    RankAction,
    Reason,
    Side,
)


class Picture(NamedTuple):
    """``actions``: what each group does next; ``ends``: where those that met out of step no longer go together."""

    outcome: Outcome
    actions: tuple[RankAction, ...]
    ends: tuple[RankAction, ...]


def picture_of(divergence: Divergence) -> Picture:
    """The columns of a divergence."""
    outcome, (first, second) = divergence.meeting.outcome, divergence.sides
    visits = _visits(divergence, (first.event, second.event))
    remark = _remark(divergence)
    actions = (
        _action(first, second, visits[0], waits=outcome in (Outcome.WAITS, Outcome.MISMATCHED)),
        _action(second, first, visits[1], remark, waits=outcome is Outcome.MISMATCHED),
    )
    return Picture(outcome, (*actions, *_rest(divergence)), _ends(divergence))


def who(ranks: Collection[int]) -> str:
    """``rank 0`` or ``ranks 1, 2, 3``."""
    return ("rank " if len(ranks) == 1 else "ranks ") + ", ".join(map(str, sorted(ranks)))


def verb(ranks: Collection[int], many: str, one: str = "") -> str:
    """The form of a verb: rank 0 ``calls``, ranks 1, 2, 3 ``call``."""
    return (one or f"{many}s") if len(ranks) == 1 else many


def _action(side: Side, other: Side, visit: str, remark: str = "", *, waits: bool = False) -> RankAction:
    if side.event is None:
        return RankAction(side.ranks, _nothing_more(other), None, remark)
    place = Place.of(side.event)
    return RankAction(
        side.ranks, side.event.label, place, remark, waits=waits, visit=visit, operation=operation(side.event)
    )


def operation(event: Event | None) -> Operation | None:
    """What is communicated by an event, for those who compare it with what a job recorded."""
    if event is None:
        return None
    members = 0 if not event.group else event.details.get("members")
    everyone = sum(1 << rank for rank in event.everyone)
    return Operation(event.name, event.effect, None if members is None else members in (0, everyone))


def _ends(divergence: Divergence) -> tuple[RankAction, ...]:
    """The first two operations that no longer go together, behind some that did one step out of line."""
    meeting, (first, second) = divergence.meeting, divergence.sides
    if meeting.ends is None:
        return ()
    mine, theirs = (Side(side.ranks, event) for side, event in zip((first, second), meeting.last))
    if meeting.ends is Outcome.MISMATCHED:
        remark = f"then these do not match: {_BOTH_WAIT}"
    else:
        left = mine if theirs.event is None else theirs
        remark = f"then {who(left.ranks)} {verb(left.ranks, 'wait')} in the last one: nobody is left to come"
    visits = _visits(divergence, meeting.last)
    waits = [side.event is not None for side in (mine, theirs)]
    return (
        _action(mine, theirs, visits[0], waits=waits[0]),
        _action(theirs, mine, visits[1], remark, waits=waits[1]),
    )


_BOTH_WAIT = "both sides wait, or mix their data (NCCL)"


def _remark(divergence: Divergence) -> str:
    """What becomes of the two, for the last column."""
    return _supposed(divergence) + _told(divergence)


def _told(divergence: Divergence) -> str:
    outcome, (first, second) = divergence.meeting.outcome, divergence.sides
    mine = f"{who(first.ranks)} {verb(first.ranks, 'wait')}"
    if outcome is Outcome.MISMATCHED:
        return f"another operation: {_BOTH_WAIT}"
    if outcome is Outcome.SHIFTED:
        return f"they meet, one step out of line: {_shifted(divergence.meeting.kind)}"
    if outcome is Outcome.MEETS:
        return "they meet, and as it happens no rank is out of step behind it"
    if second.event is not None:
        return f"they go on without it: {mine}"
    if _entry(first.event):
        return f"nobody comes here: {mine}, or {verb(first.ranks, 'meet')} what the others call later"
    return f"nobody comes: {mine}"


def _supposed(divergence: Divergence) -> str:
    """On what it depends whether there is anything to meet: a forward pass of a replica only broadcasts its buffers."""
    mine, theirs = (side.event for side in divergence.sides)
    if mine is not None and mine.effect == Effect.BACKWARD:
        mine = theirs  # who makes no stop in that forward pass comes to the next backward pass
    elif divergence.meeting.kind != "forward":
        return ""
    if mine is None or mine.effect != Effect.FORWARD or mine.details.get("engine") or mine.details.get("buffers"):
        return ""
    none = mine.details.get("buffers") is False
    return "right after the first backward pass: " if none else "if the model has buffers: "


def _shifted(kind: str) -> str:
    """What goes on, and with what."""
    if kind == "barrier":
        return "all go on, one barrier apart from here"
    if kind == "backward":
        return "all go on, and gradients of different steps are averaged"
    return "all go on, and every later result is shifted"


def _visits(divergence: Divergence, events: tuple[Event | None, Event | None]) -> tuple[str, str]:
    """Which visit it is, where both groups are at the same line: by way of which call, or in which round."""
    mine, theirs = events
    if mine is None or theirs is None or mine.node is not theirs.node:
        return "", ""
    for one, other in zip(mine.stack, theirs.stack):
        if one.node is not other.node:
            return _by_way_of(one, mine), _by_way_of(other, theirs)
    return (
        ("one time more", "the time after")
        if divergence.kind is DivergenceKind.ROUNDS
        else ("this time", "the next time")
    )


def _by_way_of(frame: Frame, event: Event) -> str:
    line = frame.file.range_of(frame.node).start_line
    return f"by way of line {line}" if frame.file is event.file else f"by way of {frame.file.path}:{line}"


def _rest(divergence: Divergence) -> tuple[RankAction, ...]:
    """The ranks of which neither side is: they are there, but the condition does not divide them from anybody."""
    first, second = divergence.sides
    event = first.event
    ranks = event.everyone - {*first.ranks, *second.ranks} if event is not None else frozenset[int]()
    if not ranks:
        return ()
    others = tuple(sorted(ranks))
    go = verb(others, "go", "goes")
    by_rank = divergence.guard.reason is Reason.IDENTITY
    text = f"{go} yet another way" if by_rank else f"{verb(others, 'do', 'does')} not reach this"
    return (RankAction(others, text, apart=True),)


def _nothing_more(other: Side) -> str:
    """How ranks end that do not do what ``other`` does: with the program, or with the function the walk began in."""
    entry = _entry(other.event)
    return f"nothing more in {entry}" if entry else "nothing more: the program ends"


def _entry(event: Event | None) -> str:
    """The function that the walk began in; empty for a script."""
    stack = event.stack if event is not None else ()
    return stack[1].function if len(stack) > 1 and isinstance(stack[0].node, cst.FunctionDef) else ""
