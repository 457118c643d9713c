"""What is written down of a walk: the stack, provenance, events and operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import libcst as cst

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.origins import Guard, GuardKind, Origin, Reason
from ddplint.analysis.domain.symbols import Symbol, fresh
from ddplint.analysis.domain.values import (
    TRUE,
    Trail,
    Value,
    Varying,
    set_of,
)
from ddplint.analysis.memory import presence
from ddplint.analysis.memory.frames import CallFrame
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.store import ALONE, FEWER
from ddplint.analysis.trace.events import Details, Event, Frame
from ddplint.analysis.trace.nodes import Loop, Nodes, Op
from ddplint.knowledge import Api


def stack(w: Interp, node: cst.CSTNode) -> tuple[Frame, ...]:
    """The call stack as facts, outermost first; the last step is ``node`` in the current function."""
    outer: CallFrame | None = None
    steps: tuple[Frame, ...] = ()
    for inner in w.frames:
        if inner.callers is None:
            inner.callers = steps
            if outer is not None and inner.call is not None:
                inner.callers = (*steps, Frame(outer.module.file, inner.call, outer.function))
        outer, steps = inner, inner.callers
    return (*steps, w.here(node))


def here(w: Interp, node: cst.CSTNode) -> Frame:
    """A step of the stack in the current function."""
    return Frame(w.frame.module.file, node, w.frame.function)


def origin(w: Interp, node: cst.CSTNode, text: str) -> Origin:
    return Origin(w.frame.module.file, node, text)


def trail(w: Interp, node: cst.CSTNode, text: str, back: Trail | None = None) -> Trail:
    """A provenance link at ``node``."""
    return Trail(w.origin(node, text), back)


def emit(
    w: Interp,
    what: Api | str,
    effect: Effect,
    node: cst.CSTNode,
    *,
    api: Api | None = None,
    args: Sequence[Value] = (),
    kwargs: Mapping[str, Value] | None = None,
    receiver: Value | None = None,
    result: Value | None = None,
    group: str = "",
    label: str = "",
    details: Details | None = None,
) -> Event:
    """Record that the active ranks executed a call: of a row of the tables, or of what has a name only."""
    name, api = (what, api) if isinstance(what, str) else (what.name, what)
    drawing = w.record(presence.Drawing)
    event = Event(
        name=name,
        api=api,
        effect=effect,
        file=w.frame.module.file,
        node=node,
        stack=w.stack(node),
        ranks=set_of(w.state.mask),
        everyone=set_of(w.everyone),
        order=next(w.order),
        args=tuple(args),
        kwargs=dict(kwargs or {}),
        receiver=receiver,
        result=result,
        guards=w.guards,
        group=group,
        label=label or name.rpartition(".")[2],
        details=details or Details(),
        path=w.state.path.known,
        together=w.state.together(),
        loops=w.around,
        alone=w.alone > 0 or w.state.read(ALONE) == TRUE,
        drawn=drawing.drawn,
        by_worker=drawing.by_worker,
    )
    if not w.quiet and event.ranks:
        w.events.append(event)
        if "path" in event.details:
            presence.named(w, node, event.details["path"])
    return event


def operate(
    w: Interp, event: Event, kind: str, group: str = "", members: int | None = 0, place: Symbol | None = None
) -> None:
    """Append a communication to the trace. ``members`` 0 means the whole world.

    An argument may have ended everybody (an assertion in a helper): the rest of the statement is nobody's.
    """
    w.distributed = True
    if not event.ranks:
        return
    w.spoken = w.risks.so_far()
    presence.met(w, members == 0)
    if not w.quiet and w.state.read(ALONE) != TRUE:
        if members == 0 and w.state.read(FEWER) == TRUE:
            members = None
        w.state.trace.append(Op(event, kind, group, members, place))


def guard(
    w: Interp, kind: GuardKind, node: cst.CSTNode, statement: cst.CSTNode, reason: Reason, trail: Trail | None
) -> Guard:
    """A place where ranks part, in the function that runs now."""
    return Guard(
        kind=kind,
        file=w.frame.module.file,
        node=node,
        statement=statement,
        reason=reason,
        origins=trail.links() if trail else (),
        function=w.frame.function,
        depth=len(w.frames),
    )


def append_loop(w: Interp, nodes: Nodes, node: cst.CSTNode, local: Varying | None) -> None:
    """Append a loop whose body was walked once (a comprehension, what a loader draws)."""
    guard = w.guard(GuardKind.COMPREHENSION, node, node, local.reason, local.trail) if local is not None else None
    w.state.trace.append(
        Loop([nodes], False, [fresh("round")], guard, local is not None, False, bool(w.tolerant), w.state.mask)
    )
