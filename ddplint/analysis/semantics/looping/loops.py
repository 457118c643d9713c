"""Loops: concrete ones are unrolled, others walked twice; what is iterated over says how many each rank has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import libcst as cst

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.join import either
from ddplint.analysis.domain.origins import Guard, GuardKind, Reason
from ddplint.analysis.domain.provenance import is_asked_of
from ddplint.analysis.domain.symbols import Symbol, fresh
from ddplint.analysis.domain.values import (
    NONE,
    UNBOUND,
    Const,
    Container,
    Either,
    Generator,
    Object,
    PerRank,
    Tuple,
    Unknown,
    Value,
    Varying,
    by_rank_in,
)
from ddplint.analysis.interp import generators, left_behind
from ddplint.analysis.memory import containers, loop_names
from ddplint.analysis.memory.contents import members, own_keys, ways
from ddplint.analysis.memory.frames import Loop_
from ddplint.analysis.memory.numbers import note_first, widen
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.shares import parts, turns
from ddplint.analysis.models.data import loaders
from ddplint.analysis.models.data.loaders import Shards
from ddplint.analysis.models.python import processes
from ddplint.analysis.models.python.processes import Processes
from ddplint.analysis.openworld.programs import rank_evidence
from ddplint.analysis.semantics import may_raise
from ddplint.analysis.semantics.looping import iteration, iterators
from ddplint.analysis.trace.exits import OF_LOOPS, ExitKind
from ddplint.analysis.trace.nodes import Loop, Nodes, Scope, matters, parts_for_good

_AS_MANY = frozenset({"enumerate", "list", "reversed", "sorted", "tqdm", "tuple"})
"""What gives as many elements as it is given."""


def for_loop(w: Interp, node: cst.For) -> None:
    """A ``for`` statement."""
    given = w.semantics.evaluate(w, node.iter)
    if type(given) is PerRank:
        w.semantics.used(w, given, node.iter)
    source = generators.begun(w, _one_iterable(parts.as_share(w, given)), node.iter)
    w.split(source, node.iter, GuardKind.FOR, lambda seen: _for_over(w, node, seen))


def _one_iterable(source: Value) -> Value:
    """Where ranks iterate over the same thing in different wrappings (a progress bar on rank 0 only): that thing."""
    if isinstance(source, PerRank):
        keys = {_iterated(value) for value in source.values if value is not UNBOUND}
        if len(keys) == 1:
            return next(value for value in source.values if value is not UNBOUND)
    return source


def _iterated(value: Value) -> object:
    """What an iterable goes over, whichever object wraps it."""
    if isinstance(value, Object) and value.name in ("builtins.enumerate", "builtins.zip", "builtins.range"):
        return (value.name, *(_iterated(arg) for arg in value.args))
    return value


def _for_over(w: Interp, node: cst.For, source: Value) -> Value | None:
    may_raise.note_use(w, source)
    if isinstance(source, Container):
        content = w.state.read((source.id, "")) or NONE
        if by_rank_in(content) and not containers.half_known(content):
            return _over_endings(w, node, source, content)
    return _over_one(w, node, source, lambda: containers.items_of(w, members.held(w, source)))


def _over_endings(w: Interp, node: cst.For, source: Container, content: Value) -> Value | None:
    """A loop over a list that ranks have filled differently: first what all have in common, then each the rest."""
    shared = containers.common(content, node) if source.kind != "dict" else ()
    if not shared:
        return w.split(content, node.iter, GuardKind.FOR, lambda _: _for_over(w, node, source))
    _over_one(w, node, source, lambda: list(shared))
    return w.split(
        content,
        node.iter,
        GuardKind.FOR,
        lambda seen: _over_one(w, node, source, lambda: containers.behind(seen, shared)),
    )


def _over_one(w: Interp, node: cst.For, source: Value, elements: Callable[[], list[Value] | None]) -> Value:
    with w.saved(around=(*w.around, iteration.entered(w, node, node.iter, source))):
        generator = generators.of(w, source)
        if generator is not None:
            _for_generator(w, node, generator, counted=isinstance(source, Object))
            return NONE
        iterator = iterators.of(w, source, node.iter)
        if iterator is not None:
            _unrolled(w, node, source, partial(iterators.draw, w, iterator, node.target, node.iter))
            return NONE
        call = processes.begun_in(w, node, source)
        if call is not None:
            _as_each_rank(w, node, call)
            return NONE
        items = elements()
        known = _on_paths(w, source) if items is None else [(one, _THERE) for one in items]
        if known is not None and len(known) <= limits.EXACT_ITERATIONS:
            _exact(w, node, known)
        else:
            _unrolled(w, node, source)
    return NONE


_THERE: Value = Const(True)


def _on_paths(w: Interp, source: Value) -> list[tuple[Value, Value]] | None:
    """The elements of a list that options have filled (``if args.ema: hooks.append(…)``), and whether each is there."""
    held = members.held(w, source)
    content = w.state.read((held.id, "")) if isinstance(held, Container) and held.kind == "list" else None
    return ways.on_paths(w.state.narrow(content)) if isinstance(content, Either) else None


def _round(
    w: Interp,
    body: cst.BaseSuite,
    before: object = None,
    element: Value | None = None,
    last: Loop_ | None = None,
    there: Value = _THERE,
) -> tuple[Nodes, Loop_]:
    """Walk one iteration, where it is ``there``; afterwards the active ranks are those that go on to the next."""
    turns = last.turns if last is not None else set()
    ends = Loop_(counters=_counters(element), turns=turns, begun=left_behind.depth(w))
    guards, local, path = w.guards, w.locals, w.state.path

    def run() -> None:
        if callable(before):
            before()
        if w.state.mask:
            w.semantics.block(w, body.body)

    walk = run if there == _THERE else lambda: w.branch(there, body, body, GuardKind.FOR, run, lambda: None)
    with w.saved(loops=[*w.loops, ends], stays=w.state.stays), w.state.watched() as written:
        nodes = w.trace_of(walk)
    w.state.mask |= ends.continues
    left_behind.fold(w, ends.left, path, written)
    if ends.continues:
        w.state.path = path
    if not ends.breaks:
        w.guards, w.locals = guards, local
    return nodes, ends


def _counters(element: Value | None) -> frozenset[Symbol]:
    """The unknown numbers among what a loop yields in an iteration."""
    parts = element.items if isinstance(element, Tuple) else (element,)
    return frozenset(part.symbol for part in parts if isinstance(part, Unknown))


def _exact(w: Interp, node: cst.For, items: list[tuple[Value, Value]]) -> None:
    """A loop over known elements: every iteration is walked. Beside each stands what says whether it is there."""
    iterations: list[Nodes] = []
    left = 0
    path = w.state.path
    for value, there in items:
        if not w.state.mask:
            break
        nodes, ends = _round(w, node.body, partial(w.semantics.assign, w, node.target, value), there=there)
        iterations.append(nodes)
        left |= ends.breaks
    if left:
        w.state.path = path
    finish(w, node, iterations, True, [], left, None)


def _as_each_rank(w: Interp, node: cst.For, call: cst.Call) -> None:
    """A loop that starts a process for each number: its body runs once, for each process with the number of its own."""
    number = rank_evidence.rank_value(w, "global", call, "a process is started for each number")
    before, w.record(Processes).begins = w.record(Processes).begins, call
    try:
        nodes, ends = _round(w, node.body, lambda: w.semantics.assign(w, node.target, number))
    finally:
        w.record(Processes).begins = before
    finish(w, node, [nodes], True, [], ends.breaks, None)


def finish(
    w: Interp,
    node: cst.For | cst.While,
    iterations: list[Nodes],
    exact: bool,
    more: list[Symbol],
    left: int,
    local: Varying | None,
    endless: bool = False,
) -> None:
    orelse: Nodes = []
    completed = w.state.mask
    if node.orelse is not None and completed:
        suite = node.orelse.body
        orelse = w.trace_of(lambda: w.semantics.block(w, suite.body))
    if any(matters(nodes, OF_LOOPS) for nodes in iterations) or orelse:
        guard = loop_guard(w, node, local) if local is not None else None
        loop = Loop(iterations, exact, more, guard, local is not None, endless, bool(w.tolerant), completed | left)
        nodes: Nodes = [loop, *orelse]
        if orelse:
            nodes = [Scope([loop, *orelse], ExitKind.SKIP)]
            loop.otherwise = True
        w.state.trace += nodes
    w.state.mask |= left


def loop_guard(w: Interp, node: cst.CSTNode, local: Varying) -> Guard:
    """The place where ranks make different numbers of iterations."""
    source = node.iter if isinstance(node, cst.For) else node.test if isinstance(node, cst.While) else node
    guard = w.guard(
        GuardKind.FOR if isinstance(node, cst.For) else GuardKind.WHILE, source, node, local.reason, local.trail
    )
    return replace(guard, guess=True) if local.reason is Reason.IDENTITY and is_asked_of(local.symbol) else guard


def _unrolled(w: Interp, node: cst.For, source: Value, draw: Callable[[], None] | None = None) -> None:
    """A loop over something unknown: no iteration, one, two, or three where the second still counts something new.

    Where it is left by ``break``, the iterable may have enough elements on every rank, unless it is a container or each
    rank's own data. ``draw`` is what gives the target its element, where that is known.
    """
    element, local = w.semantics.element_of(w, source, node) if draw is None else (Unknown(fresh("element")), None)
    note_first(w, source, element)
    shards, rounds = len(w.record(Shards).trails), limits.precision().rounds
    more = [_any_iteration(w, source), *(fresh("round") for _ in range(rounds))]
    left = 0
    walked: list[Nodes] = []
    ends: Loop_ | None = None

    def body() -> Value | None:
        nonlocal ends, left
        for index in range(rounds):
            if not w.state.mask or (index and w.tired):
                break
            value = element if index == 0 else _renewed(w, element)
            if len(w.record(Shards).trails) > shards and draw is None:
                value = w.semantics.element_of(w, source, node)[0]
            own_keys.note(w, value, local)
            with w.state.watched() as before:
                given = draw or partial(w.semantics.assign, w, node.target, value)
                nodes, ends = _round(w, node.body, given, value, ends)
            walked.append(nodes)
            left |= ends.breaks
            if index == 0 and not matters(nodes, OF_LOOPS) and _settled(w, before):
                break
            if not widen(w, before) and index:
                break
        return None

    arm = w.state.arm(w.state.mask, None, body)
    if len(walked) > 1 and parts_for_good(walked[-1]):
        walked.append(walked[-1])
    _adopt(w, None if _is_entered(w, source) else more[0], arm.writes)
    w.state.mask &= ~left
    if left and not isinstance(source, (Varying, Container)):
        local = None
    finish(w, node, walked, False, more[: len(walked)], left, local)


def _any_iteration(w: Interp, source: Value) -> Symbol:
    """What decides whether a loop is iterated at all: whether what it goes over is empty, as it is elsewhere too."""
    while isinstance(source, Object) and source.args and source.name.rpartition(".")[2] in _AS_MANY:
        source = w.state.narrow(source.args[0])
    shared = type(source) is Unknown or (
        isinstance(source, Container) and type(w.state.read((source.id, "")) or NONE) is Unknown
    )
    asked = w.truth(source) if shared else None
    return asked if isinstance(asked, Symbol) and not asked.rank_dependent and not asked.tainted else fresh("round")


def _renewed(w: Interp, element: Value) -> Value:
    if isinstance(element, Unknown):
        number = element.symbol.is_fresh("index")
        later = fresh("index" if number else "element")
        turns.counts_on(w, element.symbol, later)
        return Unknown(later, element.source)
    if isinstance(element, Varying):
        named = (name for name in ("batch", loaders.NUMBER) if element.symbol.is_fresh(name))
        return Varying(element.reason, fresh(next(named, "element")), element.trail, element.source)
    if isinstance(element, Tuple):
        return replace(element, items=tuple(_renewed(w, item) for item in element.items))
    return element


def _settled(w: Interp, before: Mapping[tuple[int, str], Value | None]) -> bool:
    """Whether a silent iteration changed nothing that a second iteration could see differently."""
    for where, old in before.items():
        if old is None:
            continue
        new = w.state.store[where]
        if new != old and isinstance(new, (Const, PerRank, Varying, Either, Tuple)):
            return False
    return True


def _is_entered(w: Interp, source: Value) -> bool:
    """Whether there is a first iteration for certain: a range of known numbers that is not empty."""
    while isinstance(source, Object) and source.args and source.name.rpartition(".")[2] in _AS_MANY:
        source = w.state.narrow(source.args[0])
    if not isinstance(source, Object) or source.name != "builtins.range":
        return False
    limits = [arg.value for arg in source.args if isinstance(arg, Const) and isinstance(arg.value, int)]
    return len(limits) == len(source.args) in (1, 2) and limits[-1] > (limits[0] if len(limits) > 1 else 0)


def _adopt(w: Interp, what: Symbol | None, writes: dict[tuple[int, str], Value]) -> None:
    """After a loop that may have made no iteration, each location holds the old or the new value; ``None``: it has."""
    from ddplint.analysis.domain.values import UNBOUND

    for where, value in writes.items():
        base = w.state.store.get(where, UNBOUND)
        w.state.write(where, value if what is None else either(what, value, base))
        if (
            what is not None
            and base is UNBOUND
            and value is not UNBOUND
            and where[0] in w.parents
            and where not in w.state.partial
        ):
            loop_names.note(w.state, where, (what,))


def _for_generator(w: Interp, node: cst.For, source: Generator, counted: bool) -> None:
    """A loop over a generator of the project. ``counted``: its target gets the number of the iteration as well."""

    def body(value: Value) -> None:
        w.semantics.assign(w, node.target, Tuple((Unknown(fresh("round")), value)) if counted else value)
        w.semantics.block(w, node.body.body)

    generators.run(w, source, node.iter, body)
