"""How a difference between ranks is reported: from which side, which of its operations, and where it stands."""

from __future__ import annotations

from dataclasses import replace

import libcst as cst

from ddplint.analysis.compare.meeting import meeting_of
from ddplint.analysis.compare.sides import (
    Failure,
    first_apart,
    hands_nothing_out,
    leaver,
    may_be_silent,
    quiet_forward,
)
from ddplint.analysis.domain.origins import Guard, Reason
from ddplint.analysis.domain.outcome import DivergenceKind, Outcome
from ddplint.analysis.trace.events import Divergence, Event, Frame, Side
from ddplint.analysis.trace.nodes import Nodes, Op, every, following

Sides = tuple[tuple[int, ...], tuple[int, ...]]


def divergence_of(
    guard: Guard, failure: Failure, arms: tuple[Nodes, Nodes], sides: Sides, kind: DivergenceKind | None
) -> Divergence | None:
    """A difference, and what comes of it in most runs: where ranks that meet out of step can do so, they do.

    Parameters: as of :func:`_said`.
    """
    if failure.surely is not None and guard.reason is not Reason.IDENTITY:
        return _said(guard, failure.surely, arms, sides, kind)
    said = _said(guard, failure, arms, sides, kind)
    if said is None or failure.usual is None or said.meeting.outcome is Outcome.SHIFTED:
        return said
    usual = _said(guard, failure.usual, arms, sides, kind)
    if usual is None or usual.kind != said.kind or usual.sides[0].event is not said.sides[0].event:
        return said
    theirs = said.sides[1].event
    better = usual.meeting.outcome is Outcome.SHIFTED or (theirs is not None and hands_nothing_out(theirs))
    return replace(said, sides=usual.sides, meeting=usual.meeting) if better else said


def _said(
    guard: Guard, failure: Failure, arms: tuple[Nodes, Nodes], sides: Sides, kind: DivergenceKind | None
) -> Divergence | None:
    """A difference, said from the side that enters the operation only it meets; None where there is no such.

    Parameters: ``arms``, what each side does where they part; ``sides``, the ranks on each; ``kind``, where it is
    known.
    """
    a, b = failure.met
    if a.guessed or b.guessed:
        guard = replace(guard, guess=True)
    mine, theirs = failure.first, failure.second
    ranks = list(sides)
    swap = False
    if a.inside and (not b.inside or kind is DivergenceKind.ROUNDS):
        mine, theirs = _surest(arms, 0, a.inside[0]), b.ops[0] if b.ops else None
    elif b.inside and not a.inside:
        mine, theirs, swap = _surest(arms, 1, b.inside[0]), a.ops[0] if a.ops else None, True
    elif guard.reason is Reason.IDENTITY and (quiet := quiet_forward(a, b)) is not None:
        mine, swap, kind = quiet, quiet in b.inside, DivergenceKind.MISSING
        theirs = failure.first if swap else failure.second
    elif (left := leaver(arms, failure)) is not None:
        swap = left == 0
        mine, theirs = first_apart(*((b, a) if swap else (a, b)))
        if mine is None:
            mine, theirs, swap = theirs, mine, not swap
    elif mine is None:
        mine, theirs, swap = theirs, None, True
    if mine is None or (failure.only_silent and guard.reason is not Reason.IDENTITY and not may_be_silent(mine)):
        return None
    if swap:
        ranks.reverse()
    if kind is None:
        if not a.inside and not b.inside:
            kind = DivergenceKind.EXIT
        else:
            kind = DivergenceKind.MISSING if not (a.inside and b.inside) else DivergenceKind.MISMATCH
    event = mine.event
    anchor = anchor_of(event, guard)
    side = (Side(tuple(ranks[0]), event, event.label), Side(tuple(ranks[1]), theirs.event if theirs else None))
    alone = kind in (DivergenceKind.MISSING, DivergenceKind.ROUNDS) and not (a.inside and b.inside)
    others = _others(guard, anchor, arms[1 if swap else 0]) if alone or kind is DivergenceKind.ROUNDS else ()
    ways_out = (b if not swap else a).exits if kind is DivergenceKind.EXIT else []
    leaving = next((exit_.frame for exit_ in ways_out if exit_.frame is not None), None)
    meeting = meeting_of(failure, mine, theirs, swapped=swap)
    return Divergence(kind, guard, side, anchor, others, leaving, meeting=meeting)


def _surest(arms: tuple[Nodes, Nodes], side: int, first: Op) -> Op:
    """The first operation of an arm that surely communicates, where its very first one perhaps does not."""
    if not may_be_silent(first) or any(isinstance(node, Op) for node in every(arms[1 - side])):
        return first
    return next((op for op in following(arms[side], first) if not may_be_silent(op)), first)


def _others(guard: Guard, anchor: Frame, arm: Nodes) -> tuple[Frame, ...]:
    """Places of the further operations in the arm."""
    found: dict[int, Frame] = {}
    for node in every(arm):
        if isinstance(node, Op):
            frame = anchor_of(node.event, guard)
            if frame.node is not anchor.node:
                found.setdefault(id(frame.node), frame)
    return tuple(found.values())


def anchor_of(event: Event, guard: Guard) -> Frame:
    """The step of an operation's call stack that stands in the function of the guard."""
    index = guard.depth - 1
    if not 0 <= index < len(event.stack):
        return event.stack[-1]
    while index + 1 < len(event.stack) and _calls_the_decorated(event.stack[index]):
        index += 1
    return event.stack[index]


def _calls_the_decorated(frame: Frame) -> bool:
    """Whether a call stands in a decorator's inner function and calls what the decorator was given."""
    call = frame.node
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Name):
        return False
    outer = [node for node in frame.file.ancestors(call) if isinstance(node, cst.FunctionDef)][1:]
    return any(param.name.value == call.func.value for function in outer for param in function.params.params)
