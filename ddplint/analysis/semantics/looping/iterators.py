"""Objects of the project that are iterators: a loop asks ``__next__`` for each element, until it says that was all."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from ddplint.analysis.domain.symbols import fresh
from ddplint.analysis.domain.values import Function, Object, Tuple, Unknown, Value
from ddplint.analysis.interp import generators
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.models.data import iterables
from ddplint.analysis.semantics import exceptions
from ddplint.analysis.trace.exits import ExitKind
from ddplint.analysis.trace.nodes import Exit

_END = cst.Name("StopIteration")


@dataclass(frozen=True, slots=True)
class Iterator:
    """An object that is asked for elements; ``counted``: a loop gets the number of the iteration as well."""

    held: Value
    step: Function
    counted: bool


def of(w: Interp, source: Value, place: cst.CSTNode) -> Iterator | None:
    """The iterator of the project that a loop at ``place`` asks, by itself, in ``enumerate`` or a progress bar."""
    inner, counted = source, False
    while isinstance(inner, Object) and inner.args and inner.name.rpartition(".")[2] in ("enumerate", *iterables.BARS):
        counted = counted or inner.name == "builtins.enumerate"
        inner = generators.begun(w, w.state.narrow(inner.args[0]), place)
    step = generators.step_of(w, inner)
    return None if step is None else Iterator(inner, step, counted)


def draw(w: Interp, iterator: Iterator, target: cst.BaseAssignTargetExpression, place: cst.CSTNode) -> None:
    """The head of an iteration: ``target`` is given the next element, or the loop is over."""

    def ask() -> None:
        value = w.semantics.call_value(w, iterator.step, [iterator.held], {}, place)
        if w.state.mask:
            w.semantics.assign(w, target, Tuple((Unknown(fresh("round")), value)) if iterator.counted else value)

    def end() -> None:
        w.loops[-1].breaks |= w.state.mask
        w.state.leave(Exit(ExitKind.BREAK, w.here(place)))

    exceptions.swallowed(w, [_END], place, place, ask, end)
