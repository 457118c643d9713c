"""Generators of the project: they run where somebody goes through them, each ``yield`` in turn."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from ddplint.analysis.domain.values import NONE, TRUE, UNBOUND, Function, Generator, Instance, Object, Value
from ddplint.analysis.memory import classes
from ddplint.analysis.memory.frames import Loop_
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.summaries import syntax
from ddplint.analysis.trace.exits import ExitKind
from ddplint.analysis.trace.nodes import Exit, Hole, Managed, Scope


def of(w: Interp, source: Value) -> Generator | None:
    """The generator of the project that something goes over, by itself, in ``enumerate``, or in ``__iter__``."""
    inner = (
        source.args[0] if isinstance(source, Object) and source.name == "builtins.enumerate" and source.args else source
    )
    if isinstance(inner, Instance):
        method, _ = classes.find_in_class(w, inner.cls, "__iter__")
        if isinstance(method, Function) and syntax.is_generator(method.node):
            return Generator(method, (inner,), ())
    return inner if isinstance(inner, Generator) else None


def run(w: Interp, source: Generator, node: cst.CSTNode, body: Callable[[Value], None]) -> None:
    """Walk a generator's body; each ``yield`` runs ``body``, with what is yielded, where the consumer stands.

    ``body`` may leave by ``break`` (the generator does not go on) or ``continue``. ``node``: where it is gone through.
    """
    left = 0
    frame = w.frame
    depth = len(w.frames)

    def consume(value: Value) -> Value:
        nonlocal left
        inner = w.frames[depth:]
        del w.frames[depth:]
        assert w.frame is frame
        ends = Loop_()
        try:
            with w.saved(loops=[*loops, ends], stays=w.state.stays):
                nodes = w.trace_of(lambda: body(value))
        finally:
            w.frames.extend(inner)
        if nodes:
            w.state.trace.append(Hole([Scope(nodes, ExitKind.CONTINUE)]))
        w.state.mask |= ends.continues
        left |= ends.breaks
        return NONE

    loops, mask = w.loops, w.state.mask
    nodes = w.trace_of(
        lambda: w.semantics.run_function(w, source.function, source.args, dict(source.kwargs), node, consume)
    )
    if nodes:
        w.state.trace.append(Scope([Managed(nodes, resumed=False)], ExitKind.BREAK))
    w.state.mask = (w.state.mask | left) & mask


def begun(w: Interp, source: Value, node: cst.CSTNode) -> Value:
    """``iter(source)``: what ``__iter__`` of an object of the project gives, where that is known to be gone through."""
    if not isinstance(source, Instance):
        return source
    method, _ = classes.find_in_class(w, source.cls, "__iter__")
    if not isinstance(method, Function) or syntax.is_generator(method.node):
        return source
    given = w.semantics.call_value(w, method, [source], {}, node)
    return given if isinstance(given, Generator) or step_of(w, given) is not None else source


def step_of(w: Interp, value: Value) -> Function | None:
    """The method of the project by which an object says what the next element is."""
    method = classes.find_in_class(w, value.cls, "__next__")[0] if isinstance(value, Instance) else None
    return method if isinstance(method, Function) else None


def exhaust(w: Interp, source: Value, node: cst.CSTNode) -> None:
    """What goes through all of it (``list``, ``sum``, ``sorted``) runs a generator to its end."""
    generator = of(w, source)
    if generator is not None:
        run(w, generator, node, lambda value: None)


def first(w: Interp, source: Value, node: cst.CSTNode) -> Value | None:
    """``next(generator)``: the first time, it runs up to a ``yield``. None for anything else, and later on.

    How far it has come then is not known.
    """
    generator = of(w, source)
    if generator is None:
        return None
    begun = (w.owner(("generator", generator)), "begun")
    if w.state.read(begun) not in (None, UNBOUND):
        return None
    w.state.write(begun, TRUE)
    found: list[Value] = []

    def stop(value: Value) -> None:
        found.append(value)
        w.loops[-1].breaks |= w.state.mask
        w.state.leave(Exit(ExitKind.BREAK))

    run(w, generator, node, stop)
    return found[0] if len(found) == 1 else None
