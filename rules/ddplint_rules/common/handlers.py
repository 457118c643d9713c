"""Operations in a ``finally`` clause, in which a rank that failed waits for those that did not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from ddplint.fixing.code.site import Site
from ddplint.rule import Event, Frame, Walk

__all__ = ["AtTheEnd", "at_the_end"]

_WAITS = frozenset({"collective", "forward", "backward", "step", "construct", "save_all_ranks"})

_BROAD = frozenset({"BaseException", "Exception", "RuntimeError"})


@dataclass(frozen=True, eq=False)
class AtTheEnd:
    """``last`` stands in a ``finally`` at ``frame``; ``before`` is what the ranks do together in the ``try``."""

    last: Event
    frame: Frame
    before: Event


def at_the_end(walk: Walk) -> Iterator[AtTheEnd]:
    """The collectives of a walk that a rank comes to on its way out of a ``try`` in which others may still meet.

    A ``finally`` that asks how the ``try`` ended is not among them, nor is one behind a handler that goes on: there it
    is the handler that matters.
    """
    tries: dict[int, tuple[Event, Frame]] = {}
    for event in walk.events:
        if event.effect == "collective" and event.ranks == event.everyone:
            for frame in event.stack:
                found = _ended(frame)
                if found is not None:
                    tries.setdefault(id(found), (event, frame))
    told: set[int] = set()
    for event in walk.events if tries else ():
        if event.effect not in _WAITS or event.ranks != event.everyone:
            continue
        for frame in event.stack:
            for node in _tried(frame):
                if id(node) in tries and id(node) not in told:
                    told.add(id(node))
                    yield AtTheEnd(*tries[id(node)], event)


def _ended(frame: Frame) -> cst.Try | None:
    """The ``try`` in whose ``finally`` a step of a call stack always comes by; None where there is no such."""
    found: cst.Try | None = None
    below: cst.CSTNode = frame.node
    for step in frame.file.ancestors(frame.node):
        if isinstance(step, cst.Finally):
            parent = next(iter(frame.file.ancestors(step)), None)
            found = parent if isinstance(parent, cst.Try) and all(map(_goes_out, parent.handlers)) else None
            break
        if isinstance(step, cst.If) and not (below is step.body and _asks_for_group(frame, step.test)):
            break
        if isinstance(step, (cst.FunctionDef, cst.Lambda, cst.For, cst.While, cst.Try, cst.IfExp)):
            break
        below = step
    return found


def _goes_out(handler: cst.ExceptHandler) -> bool:
    """Whether most errors go on their way behind a handler: it raises again, or is for one kind only."""
    lines = [line for line in handler.body.body if isinstance(line, cst.SimpleStatementLine)]
    raises = any(isinstance(small, cst.Raise) for line in lines for small in line.body)
    kinds = [part.value for part in handler.type.elements] if isinstance(handler.type, cst.Tuple) else [handler.type]
    return raises or not any(kind is None or (isinstance(kind, cst.Name) and kind.value in _BROAD) for kind in kinds)


def _asks_for_group(frame: Frame, test: cst.BaseExpression) -> bool:
    """``if dist.is_available() and dist.is_initialized():``: something that is alike on all ranks of a job."""
    if isinstance(test, cst.BooleanOperation):
        return _asks_for_group(frame, test.left) and _asks_for_group(frame, test.right)
    row = Site(frame.file, test).known(test.func) if isinstance(test, cst.Call) else None
    return row is not None and row.kind == "uniform_source"


def _tried(frame: Frame) -> Iterator[cst.Try]:
    below: cst.CSTNode = frame.node
    for step in frame.file.ancestors(frame.node):
        if isinstance(step, (cst.FunctionDef, cst.Lambda)):
            return
        if isinstance(step, cst.Try) and below is step.body:
            yield step
        below = step
