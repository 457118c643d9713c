"""Operations in a ``finally`` clause, in which a rank that failed waits for those that did not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from ddplint.analysis.domain.effects import MEETS, Effect
from ddplint.analysis.domain.values import Const
from ddplint.analysis.trace.events import Event, Frame, Walk
from ddplint.fixing.code.site import Site
from ddplint.knowledge.rank_words import PARALLEL
from ddplint.source.ancestry import up_to_function
from ddplint.source.calls import called, last_part
from ddplint.source.tree import dotted
from ddplint.source.words import words_in

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
    for event in walk.doing(Effect.COLLECTIVE):
        if event.by_all:
            for frame in event.stack:
                found = _ended(frame)
                if found is not None:
                    tries.setdefault(id(found), (event, frame))
    told: set[int] = set()
    for event in walk.events if tries else ():
        if event.effect not in MEETS or not event.by_all:
            continue
        for frame in event.stack:
            for node in _tried(frame):
                if id(node) in tries and id(node) not in told:
                    told.add(id(node))
                    yield AtTheEnd(*tries[id(node)], event)


def _ended(frame: Frame) -> cst.Try | None:
    """The ``try`` in whose ``finally`` a step of a call stack always passes; None where there is no such."""
    found: cst.Try | None = None
    for below, step in frame.file.upward(frame.node):
        if isinstance(step, cst.Finally):
            parent = next(iter(frame.file.ancestors(step)), None)
            found = parent if isinstance(parent, cst.Try) and all(map(_goes_out, parent.handlers)) else None
            break
        if isinstance(step, cst.If) and not (below is step.body and _asks_for_group(frame, step.test)):
            break
        if isinstance(step, (cst.FunctionDef, cst.Lambda, cst.For, cst.While, cst.Try, cst.IfExp)):
            break
    return found


def _goes_out(handler: cst.ExceptHandler) -> bool:
    """Whether most errors go on their way behind a handler: it raises again, ends the process, or is for one kind."""
    lines = [line for line in handler.body.body if isinstance(line, cst.SimpleStatementLine)]
    raises = any(isinstance(small, cst.Raise) or _exits(small) for line in lines for small in line.body)
    kinds = [part.value for part in handler.type.elements] if isinstance(handler.type, cst.Tuple) else [handler.type]
    return raises or not any(kind is None or (isinstance(kind, cst.Name) and kind.value in _BROAD) for kind in kinds)


def _exits(statement: cst.BaseSmallStatement) -> bool:
    """``sys.exit(1)``: ``finally`` comes before the end of the process."""
    call = statement.value if isinstance(statement, cst.Expr) else None
    return called(call) in ("sys.exit", "exit", "quit")


def _asks_for_group(frame: Frame, test: cst.BaseExpression) -> bool:
    """``if dist.is_initialized():`` or ``if world_size > 1:``: something that is alike on all ranks of a job."""
    if isinstance(test, cst.BooleanOperation):
        return _asks_for_group(frame, test.left) and _asks_for_group(frame, test.right)
    if isinstance(test, (cst.Name, cst.Attribute)):
        return PARALLEL.search(dotted(test).rpartition(".")[2].lower()) is not None
    if isinstance(test, cst.Comparison) and len(test.comparisons) == 1:
        against = test.comparisons[0].comparator
        return isinstance(against, cst.Integer) and _asks_for_group(frame, test.left)
    row = Site(frame.file, test).known(test.func) if isinstance(test, cst.Call) else None
    return row is not None and row.kind == "uniform_source"


def _tried(frame: Frame) -> Iterator[cst.Try]:
    for below, step in frame.file.upward(frame.node):
        if isinstance(step, (cst.FunctionDef, cst.Lambda)):
            return
        if isinstance(step, cst.Try) and below is step.body:
            yield step


_ANY = frozenset({"OSError", "EnvironmentError", "IOError", "error", "Exception", "BaseException"})

_THERE = _ANY | {"FileExistsError"}

_GONE = _ANY | {"FileNotFoundError"}

_ONCE = frozenset({"mkdir", "makedirs"})

_MISSING = frozenset({"AttributeError", "Exception", "BaseException"})

_RAISED = {
    Effect.LACKING: _MISSING,
    Effect.BEHIND_WRAPPER: _MISSING,
    Effect.CREATE_DIR: _THERE,
    Effect.LINK: _THERE,
    Effect.DELETE: _GONE,
    Effect.MOVE: _GONE | {"FileExistsError"},
    Effect.LIST: _GONE,
    Effect.READ: _GONE,
}
"""What an effect raises on a rank that comes too late, or too early, or asks for too much; others raise nothing."""


def is_exclusive(event: Event) -> bool:
    """Whether a call makes what must not be there yet: a folder without ``exist_ok``, a file opened with mode ``x``."""
    row, mode = event.api, event.details.get("mode")
    if event.effect == Effect.CREATE_DIR and row is not None:
        told = row.exist_ok.of(event.args, event.kwargs) is not None
        return not row.atomic and not told and row.name.rpartition(".")[2] in _ONCE
    if event.name == "os.open":
        return "O_EXCL" in words_in(event.node)
    return event.effect == Effect.WRITE and isinstance(mode, Const) and "x" in str(mode.value)


def catches(handler: cst.ExceptHandler) -> bool:
    """Whether a handler takes what is raised where a file or folder is there already."""
    return _takes(handler, _THERE)


def is_caught(event: Event) -> bool:
    """Whether a ``try`` around it, or around a call that leads to it, goes on after what it may raise.

    So does ``contextlib.suppress``.
    """
    names = _THERE if is_exclusive(event) else _RAISED.get(event.effect)
    if names is None:
        return False
    for frame in event.stack:
        for found in _handlers(frame):
            if _suppresses(frame, found, names) if isinstance(found, cst.With) else _goes_on(found, names):
                return True
    return False


def _suppresses(frame: Frame, block: cst.With, names: frozenset[str]) -> bool:
    calls = [item.item for item in block.items if isinstance(item.item, cst.Call)]
    site = Site(frame.file, block)
    return any(
        last_part(arg.value) in names
        for call in calls
        if site.qualified(call.func) == "contextlib.suppress"
        for arg in call.args
    )


def _handlers(frame: Frame) -> Iterator[cst.ExceptHandler | cst.With]:
    below = frame.node
    for step in up_to_function(frame.file.ancestors(frame.node)):
        if isinstance(step, cst.Try) and below is step.body:
            yield from step.handlers
        elif isinstance(step, cst.With):
            yield step
        below = step


def _goes_on(handler: cst.ExceptHandler, names: frozenset[str]) -> bool:
    return _takes(handler, names) and not _always_raises(handler.body)


def _takes(handler: cst.ExceptHandler, names: frozenset[str]) -> bool:
    caught = handler.type
    kinds = [element.value for element in caught.elements] if isinstance(caught, cst.Tuple) else [caught]
    return any(kind is None or last_part(kind) in names for kind in kinds)


def _always_raises(body: cst.BaseSuite) -> bool:
    lines = [line for line in body.body if isinstance(line, cst.SimpleStatementLine)]
    return any(isinstance(small, cst.Raise) for line in lines for small in line.body)
