"""``with``: known managers, generators of the project, classes with ``__enter__`` and ``__exit__``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import libcst as cst

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.origins import Guard, GuardKind
from ddplint.analysis.domain.symbols import Symbol
from ddplint.analysis.domain.values import (
    NONE,
    Bound,
    Either,
    External,
    Function,
    Generator,
    Instance,
    Object,
    PerRank,
    Value,
    Varying,
    unknown,
)
from ddplint.analysis.memory import classes, modes
from ddplint.analysis.memory.modes import Contexts
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.models import row_kinds
from ddplint.analysis.semantics import exceptions
from ddplint.analysis.summaries import swallowing, syntax
from ddplint.analysis.trace.nodes import Guarded, Hole, Managed
from ddplint.source.ancestry import descend

_SUPPRESS = External("contextlib.suppress")


def with_statement(w: Interp, node: cst.With) -> None:
    """A ``with`` statement with any number of managers."""
    _enter(w, node, 0)


def _enter(w: Interp, node: cst.With, index: int) -> None:
    if index == len(node.items):
        w.semantics.block(w, node.body.body)
        return
    item = node.items[index]
    manager = w.semantics.evaluate(w, item.item)
    if isinstance(item.item, cst.Call) and w.semantics.evaluate(w, item.item.func) == _SUPPRESS:
        exceptions.suppressed(w, item.item, node, lambda: _enter(w, node, index + 1))
        return

    def bind(value: Value) -> None:
        if item.asname is not None:
            w.semantics.assign(w, item.asname.name, value)

    def body() -> None:
        _enter(w, node, index + 1)

    def run(seen: Value) -> Value | None:
        manage(w, seen, item.item, bind, body, node)
        return NONE

    seen_by_all = w.state.narrow(manager)
    if _is_plain(w, seen_by_all):
        bind(manager)
        body()
    elif isinstance(seen_by_all, PerRank) and all(_is_own(w, seen) for seen in seen_by_all.values):
        _class(w, seen_by_all, item.item, bind, body)
    else:
        w.split(manager, item.item, GuardKind.WITH, run)


def left_out(w: Interp, node: cst.CSTNode, value: Value) -> None:
    """Note a manager that the caller drops: nothing of it runs without a ``with``."""
    if isinstance(node, cst.Call) and (name := _makes_wait(w, value)):
        w.emit(name, Effect.UNENTERED, node, receiver=value)


def handed_out(w: Interp, node: cst.Yield, value: Value) -> None:
    """Note a manager that another one yields, where its own ``with`` was meant: ``with`` gets it and drops it."""
    if isinstance(node.value, cst.Call) and (name := _makes_wait(w, value)) and _is_inside_one(w):
        w.emit(name, Effect.UNENTERED, node.value, receiver=value)


def _is_inside_one(w: Interp) -> bool:
    return w.frame.callee is not None and syntax.is_manager(w.frame.callee.node)


def _makes_wait(w: Interp, value: Value) -> str:
    """The name of a manager that the ranks wait in, or of a function of the project that makes one."""
    if isinstance(value, Generator):
        return value.function.name if syntax.is_manager(value.function.node) else ""
    row = w.record(Contexts).rows.get(value.id) if isinstance(value, Object) else None
    return row.name if row is not None and row.kind == "main_first_context" else ""


def _is_plain(w: Interp, manager: Value) -> bool:
    """Whether a manager means nothing to the walk: its body is the same under it as without it."""
    if isinstance(manager, PerRank):
        return all(_is_plain(w, seen) for seen in manager.values)
    if isinstance(manager, Either):
        return _is_plain(w, manager.yes) and _is_plain(w, manager.no)
    if isinstance(manager, Object):
        known = w.record(Contexts).rows.get(manager.id) or w.knowledge.lookup(manager.name)
        return known is None and not modes.turns_grad_off(manager.name, manager.args)
    return not isinstance(manager, (Generator, Instance))


def _is_own(w: Interp, manager: Value) -> bool:
    """Whether a manager is an object of the project's, or means nothing: the body runs once under any of them."""
    if isinstance(manager, Either):
        return _is_own(w, manager.yes) and _is_own(w, manager.no)
    return isinstance(manager, Instance) or _is_plain(w, manager)


def manage(
    w: Interp,
    manager: Value,
    node: cst.CSTNode,
    bind: Callable[[Value], None],
    body: Callable[[], None],
    body_of: cst.With | None = None,
) -> None:
    """Run ``body`` under one manager; ``body_of``: the statement that it belongs to, if any."""
    if isinstance(manager, Generator):
        _generator(w, manager, node, bind, body)
    elif isinstance(manager, Instance) and classes.find_in_class(w, manager.cls, "__enter__")[0] is not None:
        taken = _swallows(w, manager, body_of)
        if taken is None:
            _class(w, manager, node, bind, body)
        else:
            _tolerant(w, manager, taken, node, bind, body)
    elif isinstance(manager, Object) and row_kinds.manage(w, manager, node, bind, body):
        return
    else:
        bind(manager)
        body()


@dataclass(frozen=True, slots=True)
class _WentOn:
    """What holds for those who came to the end of a with-body because of those who left in it."""

    gained: tuple[tuple[Symbol, bool], ...]
    stays: Mapping[Symbol, tuple[int, int]] | None
    guards: tuple[Guard, ...]
    locals: tuple[Varying, ...]

    def apply(self, w: Interp) -> None:
        """Let it hold behind the ``with`` statement, too: the call of the manager's function has forgotten it."""
        w.state.assume(self.gained)
        if self.stays is not None:
            w.state.stays = {**w.state.stays, **self.stays}
        w.guards, w.locals = (*w.guards, *self.guards), (*w.locals, *self.locals)


def _generator(
    w: Interp, manager: Generator, node: cst.CSTNode, bind: Callable[[Value], None], body: Callable[[], None]
) -> None:
    """A ``@contextmanager`` function: the with-body runs where it yields."""
    depth = len(w.frames)
    outer_loops = w.loops
    entered = w.state.mask
    survivors = {"mask": 0, "ran": 0}
    went_on: list[_WentOn] = []

    def consume(value: Value) -> Value:
        def inside() -> None:
            bind(value)
            body()

        inner = w.frames[depth:]
        del w.frames[depth:]
        mask = w.state.mask
        guards, local, path, stays = w.guards, w.locals, w.state.path, w.state.stays
        try:
            with w.saved(loops=outer_loops, mask=mask):
                nodes = w.trace_of(inside)
                survivors["mask"] |= w.state.mask
        finally:
            w.frames.extend(inner)
        gained = tuple(w.state.path.since(path).items())
        newer = w.state.stays if w.state.stays is not stays else None
        went_on.append(_WentOn(gained, newer, w.guards[len(guards) :], w.locals[len(local) :]))
        if nodes:
            w.state.trace.append(Hole(nodes))
        survivors["ran"] |= mask
        return NONE

    nodes = w.trace_of(
        lambda: w.semantics.run_function(w, manager.function, manager.args, dict(manager.kwargs), node, consume)
    )
    if nodes:
        w.state.trace.append(Managed(nodes))
    _without_yield(w, manager, node, entered & w.state.mask & ~survivors["ran"] if survivors["ran"] else 0)
    w.state.mask &= survivors["mask"] | ~survivors["ran"]
    if len(went_on) == 1 and w.state.mask:
        went_on[0].apply(w)


def _without_yield(w: Interp, manager: Generator, node: cst.CSTNode, ranks: int) -> None:
    """Note the ranks that come to the end of a manager without a yield, where ``with`` raises RuntimeError."""
    if ranks:
        with w.saved(mask=ranks):
            w.emit(manager.function.name, Effect.NO_YIELD, node, details={"manager": manager.function})


def _class(
    w: Interp, manager: Value, node: cst.CSTNode, bind: Callable[[Value], None], body: Callable[[], None]
) -> None:
    """Objects with ``__enter__`` and ``__exit__``: the body runs once, whichever object each rank has."""

    def enter(seen: Value) -> Value:
        method = _method(w, seen, "__enter__")
        return w.semantics.call_value(w, method, [], {}, node) if method is not None else seen

    def leave(seen: Value) -> Value:
        method = _method(w, seen, "__exit__")
        return w.semantics.call_value(w, method, [NONE, NONE, NONE], {}, node) if method is not None else NONE

    bind(w.split(manager, node, GuardKind.WITH, enter) or NONE)
    if not w.state.mask:
        return
    with w.saved(mask=w.state.mask):
        inside = w.trace_of(body)
        after = w.state.mask
    final = w.trace_of(lambda: w.split(manager, node, GuardKind.WITH, leave))
    w.state.mask &= after
    if inside or final:
        w.state.trace.append(Guarded(inside, [], swallows=False, final=final))


def _swallows(w: Interp, manager: Instance, statement: cst.With | None) -> cst.BaseExpression | None:
    """The class of exceptions after which ``__exit__`` lets the program go on.

    None where it does not, or where the body may be left in another way: who returns passes ``__exit__``, too.
    """
    found = classes.find_in_class(w, manager.cls, "__exit__")[0]
    if not isinstance(found, Function) or not isinstance(found.node, cst.FunctionDef) or statement is None:
        return None
    leaves = (cst.Return, cst.Break, cst.Continue)
    if any(isinstance(one, leaves) for one in descend(statement.body, into_functions=False)):
        return None
    name = swallowing.swallowed_by(found.node)
    return cst.Name(name) if name else None


def _tolerant(
    w: Interp,
    manager: Instance,
    taken: cst.BaseExpression,
    node: cst.CSTNode,
    bind: Callable[[Value], None],
    body: Callable[[], None],
) -> None:
    """A manager that takes what its body raises: ``__exit__`` runs with the exception, or at the end without one."""

    def leave(kind: Value, value: Value) -> None:
        method = _method(w, manager, "__exit__")
        if method is not None:
            w.semantics.call_value(w, method, [kind, value, value], {}, node)

    def inside() -> None:
        body()
        if w.state.mask:
            leave(NONE, NONE)

    enter = _method(w, manager, "__enter__")
    bind(w.semantics.call_value(w, enter, [], {}, node) if enter is not None else manager)
    if w.state.mask:
        kind = w.semantics.evaluate(w, taken)
        exceptions.swallowed(w, [taken], node, node, inside, lambda: leave(kind, unknown("exception")))


def _method(w: Interp, manager: Value, name: str) -> Bound | None:
    found = classes.find_in_class(w, manager.cls, name)[0] if isinstance(manager, Instance) else None
    return Bound(found, manager) if found is not None and isinstance(manager, Instance) else None
