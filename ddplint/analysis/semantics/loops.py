"""Loops: concrete ones are unrolled, others walked twice; what is iterated over tells each rank's rounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.analysis.domain.facts import Guard, LoopFrame, Reason
from ddplint.analysis.domain.join import either
from ddplint.analysis.domain.provenance import is_asked_of
from ddplint.analysis.domain.symbols import Symbol, fresh
from ddplint.analysis.domain.values import (
    NONE,
    UNBOUND,
    Const,
    Container,
    Either,
    Generator,
    Instance,
    Object,
    PerRank,
    Tuple,
    Unknown,
    Value,
    Varying,
    by_rank_in,
    unknown,
    varying_in,
)
from ddplint.analysis.interp import generators
from ddplint.analysis.interp.interpreter import Loop_
from ddplint.analysis.memory import columns, lengths, loop_names, selection, unordered
from ddplint.analysis.memory.widening import widen
from ddplint.analysis.models import iterables, loaders, prepared
from ddplint.analysis.models.python import processes
from ddplint.analysis.openworld import rank_evidence
from ddplint.analysis.semantics import attributes, calls, expressions, may_raise, statements
from ddplint.analysis.trace.nodes import Exit, Loop, Nodes, Scope, leaves, leaves_by, matters, parts_for_good

if TYPE_CHECKING:
    from ddplint.analysis.interp.interpreter import Walker

MAX_EXACT = 6
LOOP_EXITS = frozenset({"break", "continue", "done"})
_RETURN = frozenset({"return"})
_MAX_WHILE = 8
_MAX_ROUNDS = 3
_AS_MANY = frozenset({"enumerate", "list", "reversed", "sorted", "tqdm", "tuple"})
"""What hands out as many elements as it is given."""
_MAX_LITERAL = 3
_MAX_LEFT = 2
"""The last round of ``while True`` in which a number is still counted, once some ranks may have left."""
_MAX_COUNTED = 3
"""Rounds of ``while True`` that are counted exactly, as long as nothing unknown may end it."""


def for_loop(w: Walker, node: cst.For) -> None:
    """A ``for`` statement."""
    source = generators.begun(w, _one_iterable(expressions.evaluate(w, node.iter)), node.iter)
    w.split(source, node.iter, "for", lambda seen: _for_over(w, node, seen))


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


def _for_over(w: Walker, node: cst.For, source: Value) -> Value | None:
    may_raise.note_use(w, source)
    if isinstance(source, Container):
        content = w.state.read((source.id, "")) or NONE
        if by_rank_in(content) and not lengths.half_known(content):
            return _over_endings(w, node, source, content)
    return _over_one(w, node, source, lambda: calls.items_of(w, source))


def _over_endings(w: Walker, node: cst.For, source: Container, content: Value) -> Value | None:
    """A loop over a list that ranks have filled differently: first what all have in common, then each the rest."""
    shared = lengths.common(content, node) if source.kind != "dict" else ()
    if not shared:
        return w.split(content, node.iter, "for", lambda _: _for_over(w, node, source))
    _over_one(w, node, source, lambda: list(shared))
    return w.split(
        content, node.iter, "for", lambda seen: _over_one(w, node, source, lambda: lengths.behind(seen, shared))
    )


def _over_one(w: Walker, node: cst.For, source: Value, elements: Callable[[], list[Value] | None]) -> Value:
    outside = w.around
    w.around = (*outside, entered(w, node, node.iter, source))
    try:
        generator = generators.of(w, source)
        if generator is not None:
            _for_generator(w, node, generator, counted=isinstance(source, Object))
            return NONE
        call = processes.begun_in(w, node, source)
        if call is not None:
            _as_each_rank(w, node, call)
            return NONE
        items = elements()
        if items is not None and len(items) <= MAX_EXACT:
            _exact(w, node, items)
        else:
            _unrolled(w, node, source)
    finally:
        w.around = outside
    return NONE


def entered(w: Walker, node: cst.CSTNode, place: cst.CSTNode, source: Value | None) -> LoopFrame:
    """The loop that begins here; that it iterates over ``source`` is an event, at ``place``."""
    loop = LoopFrame(w.frame.module.file, node, w.frame.function, source, len(w.frames))
    if source is not None:
        w.emit(
            "iterate",
            "iterate",
            place,
            receiver=source,
            details={"loop": loop, "unordered": unordered.is_iterated(w, source)},
        )
        prepared.begin(w, source, place)
    return loop


def element_of(w: Walker, source: Value, node: cst.CSTNode) -> tuple[Value, Varying | None]:
    """What an iteration over ``source`` yields, and the rank-local cause if ranks make different numbers of rounds."""
    if isinstance(source, Object):
        return loaders.element_of_object(w, source, node)
    if isinstance(source, Varying) and source.symbol.key[0] == iterables.COUNTED:
        return Unknown(fresh("number")), source
    if isinstance(source, Varying):
        keys = source.symbol.key[1] if source.symbol.key[0] == "method" else ""
        element: Value = Varying(
            Reason.DATA if source.reason is Reason.LENGTH else source.reason,
            fresh("element"),
            source.trail,
            source.source,
        )
        if keys in ("items", "keys"):  # what each rank has of its own has the same names on all of them
            key = Unknown(fresh("key"))
            element = Tuple((key, element)) if keys == "items" else key
        if selection.is_selected(source):
            return element, selection.size_of(source)
        return element, source if source.reason is Reason.LENGTH else None
    if isinstance(source, Container):
        content = w.state.read((source.id, "")) or NONE
        local = varying_in(content)
        if local is not None:
            parts = columns.element(w, source, local)
            return (parts, None) if parts is not None else element_of(w, local, node)
        sample = calls.sample_of(w, source, node)
        if sample is not None:
            return (Unknown(fresh("key")) if source.kind == "dict" else sample), None
        items = calls.items_of(w, source)
        if items and all(item == items[0] for item in items):
            return items[0], None
        return Unknown(fresh("element")), None
    if isinstance(source, (Instance, Generator)):
        return iterables.elements(w, source, node) or (Unknown(fresh("element")), None)
    if isinstance(source, Unknown):
        trail = w.shards.get(source)
        return (Unknown(fresh("element")) if trail is None else Varying(Reason.DATA, fresh("batch"), trail)), None
    if isinstance(source, Either) and source.local is None:
        (yes, local), (no, other) = element_of(w, source.yes, node), element_of(w, source.no, node)
        return either(source.symbol, yes, no), local if other is not None else None
    return unknown("element"), None


def assign(w: Walker, target: cst.BaseAssignTargetExpression | cst.BaseExpression, value: Value) -> None:
    """Bind a target (name, attribute, subscript, tuple, starred) to a value."""
    if type(target) is cst.Name:
        scope = w.frame.outer_names.get(target.value, w.frame.scope)
        w.state.write((scope, target.value), value)
    elif type(target) is cst.Attribute:
        base = expressions.evaluate(w, target.value)
        attributes.set_attribute(w, base, target.attr.value, value, target)
    elif type(target) is cst.Subscript:
        statements.store_item(w, target, value)
    elif type(target) is cst.Tuple or type(target) is cst.List:
        _unpack(w, target, value)


def _unpack(w: Walker, target: cst.Tuple | cst.List, value: Value) -> None:
    count = len(target.elements)
    starred = next((i for i, e in enumerate(target.elements) if isinstance(e, cst.StarredElement)), None)
    if isinstance(value, (PerRank, Either)):
        parts = [w.lift(target, lambda v, i=i: _part(w, v, i, count, starred), value) for i in range(count)]
    else:
        parts = [_part(w, value, i, count, starred) for i in range(count)]
    for element, part in zip(target.elements, parts, strict=True):
        assign(w, element.value, part)


def _part(w: Walker, value: Value, index: int, count: int, starred: int | None) -> Value:
    items = calls.items_of(w, value)
    if items is not None and starred is None and len(items) == count:
        return items[index]
    if items is not None and starred is not None and len(items) >= count - 1:
        extra = len(items) - count + 1
        if index < starred:
            return items[index]
        if index == starred:
            return w.container("list", items[starred : starred + extra])
        return items[index + extra - 1]
    made_of = [given for given in value.args if isinstance(given, Varying)] if isinstance(value, Object) else []
    return expressions.derived(("part", index), [value, *made_of])


def _round(
    w: Walker, body: cst.BaseSuite, before: object = None, element: Value | None = None, last: Loop_ | None = None
) -> tuple[Nodes, Loop_]:
    """Walk one round; afterwards the active ranks are those that go on to the next."""
    ends = Loop_(counters=_counters(element), turns=last.turns if last is not None else set())
    w.loops.append(ends)
    guards, local, path, stays = w.guards, w.locals, w.state.path, w.state.stays

    def run() -> None:
        if callable(before):
            before()
        if w.state.mask:
            statements.block(w, body.body)

    try:
        nodes = w.trace_of(run)
    finally:
        w.loops.pop()
    w.state.mask |= ends.continues
    w.state.stays = stays
    if ends.continues:
        w.state.path = path
    if not ends.breaks:
        w.guards, w.locals = guards, local
    return nodes, ends


def _counters(element: Value | None) -> frozenset[Symbol]:
    """The unknown numbers among what a loop hands out in a round."""
    parts = element.items if isinstance(element, Tuple) else (element,)
    return frozenset(part.symbol for part in parts if isinstance(part, Unknown))


def _exact(w: Walker, node: cst.For, items: list[Value]) -> None:
    """A loop over known elements: every round is walked."""
    rounds: list[Nodes] = []
    left = 0
    path = w.state.path
    for value in items:
        if not w.state.mask:
            break
        nodes, ends = _round(w, node.body, lambda value=value: assign(w, node.target, value))
        rounds.append(nodes)
        left |= ends.breaks
    if left:
        w.state.path = path
    _finish(w, node, rounds, True, [], left, None)


def _as_each_rank(w: Walker, node: cst.For, call: cst.Call) -> None:
    """A loop that starts a process for each number: its body runs once, for each process with the number of its own."""
    number = rank_evidence.rank_value(w, "global", call, "a process is started for each number")
    before, w.begins = w.begins, call
    try:
        nodes, ends = _round(w, node.body, lambda: assign(w, node.target, number))
    finally:
        w.begins = before
    _finish(w, node, [nodes], True, [], ends.breaks, None)


def _finish(
    w: Walker,
    node: cst.For | cst.While,
    rounds: list[Nodes],
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
        orelse = w.trace_of(lambda: statements.block(w, suite.body))
    if any(matters(nodes, LOOP_EXITS) for nodes in rounds) or orelse:
        guard = loop_guard(w, node, local) if local is not None else None
        loop = Loop(rounds, exact, more, guard, local is not None, endless, bool(w.tolerant), completed | left)
        nodes: Nodes = [loop, *orelse]
        if orelse:
            nodes = [Scope([loop, *orelse], "skip")]
            loop.otherwise = True
        w.state.trace += nodes
    w.state.mask |= left


def loop_guard(w: Walker, node: cst.CSTNode, local: Varying) -> Guard:
    """The place where ranks make different numbers of rounds."""
    source = node.iter if isinstance(node, cst.For) else node.test if isinstance(node, cst.While) else node
    guard = w._guard("for" if isinstance(node, cst.For) else "while", source, node, local.reason, local.trail)
    return replace(guard, guess=True) if local.reason is Reason.IDENTITY and is_asked_of(local.symbol) else guard


def _unrolled(w: Walker, node: cst.For, source: Value) -> None:
    """A loop over something unknown: no round, one, two, or three where the second still counts something new.

    Where it is left by ``break``, the iterable may have enough elements on every rank, unless it is a container or each
    rank's own data.
    """
    element, local = element_of(w, source, node)
    shards = len(w.shards)
    more = [_any_round(w, source), *(fresh("round") for _ in range(_MAX_ROUNDS))]
    left = 0
    walked: list[Nodes] = []
    ends: Loop_ | None = None

    def body() -> Value | None:
        nonlocal ends, left
        for index in range(_MAX_ROUNDS):
            if not w.state.mask or (index and w.tired):
                break
            value = element if index == 0 else _renewed(element)
            if len(w.shards) > shards:
                value = element_of(w, source, node)[0]
            with w.state.watched() as before:
                nodes, ends = _round(w, node.body, lambda value=value: assign(w, node.target, value), value, ends)
            walked.append(nodes)
            left |= ends.breaks
            if index == 0 and not matters(nodes, LOOP_EXITS) and _settled(w, before):
                break
            if not widen(w, before) and index:
                break
        return None

    mask = w.state.mask
    arm = w.state.arm(mask, None, body)
    if len(walked) > 1 and parts_for_good(walked[-1]):
        walked.append(walked[-1])
    _adopt(w, more[0], arm.writes)
    w.state.mask = mask & ~left
    if left and not isinstance(source, (Varying, Container)):
        local = None
    _finish(w, node, walked, False, more[: len(walked)], left, local)


def _any_round(w: Walker, source: Value) -> Symbol:
    """What decides whether a loop makes a round at all: whether what it goes over is empty, as it is elsewhere too."""
    while isinstance(source, Object) and source.args and source.name.rpartition(".")[2] in _AS_MANY:
        source = w.state.narrow(source.args[0])
    shared = type(source) is Unknown or (
        isinstance(source, Container) and type(w.state.read((source.id, "")) or NONE) is Unknown
    )
    asked = w.truth(source) if shared else None
    return asked if isinstance(asked, Symbol) and not asked.parts_ranks and not asked.told else fresh("round")


def _renewed(element: Value) -> Value:
    if isinstance(element, Unknown):
        number = element.symbol.key[:2] == ("fresh", "index")
        return Unknown(fresh("index" if number else "element"), element.source)
    if isinstance(element, Varying):
        return Varying(element.reason, fresh("element"), element.trail, element.source)
    return element


def _settled(w: Walker, before: Mapping[tuple[int, str], Value | None]) -> bool:
    """Whether a silent round changed nothing that a second round could see differently."""
    for where, old in before.items():
        if old is None:
            continue
        new = w.state.store[where]
        if new != old and isinstance(new, (Const, PerRank, Varying, Either, Tuple)):
            return False
    return True


def _adopt(w: Walker, what: Symbol, writes: dict[tuple[int, str], Value]) -> None:
    """After a loop that may have made no round, each location holds the old or the new value."""
    from ddplint.analysis.domain.values import UNBOUND

    for where, value in writes.items():
        base = w.state.store.get(where, UNBOUND)
        w.state.write(where, either(what, value, base))
        if base is UNBOUND and value is not UNBOUND and where[0] in w.parents and where not in w.state.partial:
            loop_names.note(w.state, where, (what,))


def _for_generator(w: Walker, node: cst.For, source: Generator, counted: bool) -> None:
    """A loop over a generator of the project. ``counted``: the loop's target gets the number of the round as well."""

    def body(value: Value) -> None:
        assign(w, node.target, Tuple((Unknown(fresh("round")), value)) if counted else value)
        statements.block(w, node.body.body)

    generators.run(w, source, node.iter, body)


def while_loop(w: Walker, node: cst.While) -> None:
    """A ``while`` statement: the test is a decision at the head of every round."""
    outside = w.around
    w.around = (*outside, entered(w, node, node.test, None))
    try:
        _while(w, node)
    finally:
        w.around = outside


def _while(w: Walker, node: cst.While) -> None:
    rounds: list[Nodes] = []
    left = done = 0
    exact = endless = False
    path = w.state.path
    literal = isinstance(node.test, (cst.Name, cst.Integer))
    widened: int | None = None
    for index in range(_MAX_WHILE):
        with w.state.watched() as before:
            nodes, ends, test = _while_round(w, node)
        rounds.append(nodes)
        left |= ends.breaks
        done |= ends.done
        w.state.mask |= ends.continues
        known = w.truth(test)
        if known is False or not w.state.mask:
            exact = True
            break
        long = literal and widened is not None and (left or done or index >= widened + _MAX_LITERAL)
        if index >= 1 and (known is not True or w.tired or long):
            endless = known is True and (bool(left | done) or any(leaves_by(one, _RETURN) for one in rounds))
            break
        left_now = leaves(nodes) and (index == _MAX_LEFT or not _counts_on(w, before))
        if literal and widened is None and (left_now or index == _MAX_COUNTED - 1):
            widened = index
        if known is not True or widened == index or index == MAX_EXACT - 1:
            widen(w, before)
    if not exact and len(rounds) > 1 and parts_for_good(rounds[-1]):
        rounds.append(rounds[-1])
    if endless:
        w.state.mask = 0
    if left | done:
        w.state.path = path
    w.state.mask |= done
    _finish(w, node, rounds, exact, [], left, None, endless)


def _counts_on(w: Walker, before: Mapping[tuple[int, str], Value | None]) -> bool:
    """Whether a number that is known after a round was another one before it."""
    for where, old in before.items():
        new = w.state.store.get(where)
        if isinstance(old, Const) and isinstance(new, Const) and isinstance(new.value, int) and old != new:
            return True
    return False


def _while_round(w: Walker, node: cst.While) -> tuple[Nodes, Loop_, Value]:
    ends = Loop_()
    tests: list[Value] = []

    def stop() -> Value | None:
        w.state.trace.append(Exit("break" if node.orelse is None else "done", w.here(node)))
        if node.orelse is None:
            ends.breaks |= w.state.mask
        else:
            ends.done |= w.state.mask
        w.state.mask = 0
        return None

    def go() -> Value | None:
        statements.block(w, node.body.body)
        return None

    def run() -> None:
        tests.append(expressions.evaluate(w, node.test))
        w.branch(tests[0], node.test, node, "while", go, stop)

    path, stays = w.state.path, w.state.stays
    w.loops.append(ends)
    try:
        nodes = w.trace_of(run)
    finally:
        w.loops.pop()
    w.state.stays = stays
    if ends.continues:
        w.state.path = path
    return nodes, ends, tests[0]


def append_simple(w: Walker, nodes: Nodes, node: cst.CSTNode, local: Varying | None) -> None:
    """Append a loop whose body was walked once (a comprehension)."""
    guard = w._guard("comprehension", node, node, local.reason, local.trail) if local is not None else None
    w.state.trace.append(
        Loop([nodes], False, [fresh("round")], guard, local is not None, False, bool(w.tolerant), w.state.mask)
    )
