"""``try``, ``raise`` and the ends of a process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Union

import libcst as cst

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.join import either, local_join, rank_join
from ddplint.analysis.domain.origins import Guard, GuardKind, Reason
from ddplint.analysis.domain.path_condition import PathCondition, independent
from ddplint.analysis.domain.symbols import Symbol, fresh
from ddplint.analysis.domain.values import (
    EVERYONE,
    UNBOUND,
    WORLD_SIZE,
    Const,
    External,
    Object,
    Unknown,
    Value,
    Varying,
    unknown,
)
from ddplint.analysis.memory.frames import Try_
from ddplint.analysis.memory.journal import Arm, Location
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Body, Risks
from ddplint.analysis.semantics import may_raise, optional_imports
from ddplint.analysis.semantics.takers import (
    NARROW,
    OF_THE_CODE,
    Taker,
    Try,
    fails_behind,
    guards_import,
    is_of_all,
    names_of,
    of_a_missing_file,
)
from ddplint.analysis.trace.exits import ENDS, PLACES, ExitKind
from ddplint.analysis.trace.failing import fail_alike
from ddplint.analysis.trace.nodes import Choice, Exit, Guarded, Kinds, Nodes, leaves_by, takes


def leave(w: Interp, node: cst.CSTNode, raised: Kinds) -> None:
    """``raise`` (or a failed ``assert``): the active ranks go to the nearest handler that takes it, or end."""
    caught = any(try_.take(raised, w.state.mask, w.state.path, len(w.locals)) for try_ in reversed(w.tries))
    w.emit("raise", Effect.RAISE, node, details={"caught": caught})
    w.state.leave(Exit(ExitKind.RAISE, w.here(node), raised=raised))


def at_the_end(w: Interp, length: Varying, node: cst.CSTNode, element: Callable[[], Value]) -> Value:
    """``next(iterator)`` of which ranks get unequally many elements, where a handler takes the end for an answer."""
    if not any("StopIteration" in kinds for try_ in w.tries for kinds in try_.handlers):
        return element()
    ended = Varying(Reason.LENGTH, fresh("ended"), length.trail)
    return w.branch(ended, node, node, GuardKind.FOR, lambda: leave(w, node, _STOP), element) or unknown("element")


def end_process(w: Interp, node: cst.CSTNode, quiet: bool, at_once: bool) -> None:
    """``sys.exit``: ``quiet`` with code 0, which tears no job down; ``at_once`` without any ``finally``."""
    raised: Kinds = frozenset() if at_once else _END
    w.state.leave(Exit(ExitKind.EXIT, w.here(node), quiet and not _is_beyond(w), raised))


def ends_well(w: Interp, made: Value | None) -> bool:
    """Whether it ends the process as ``sys.exit(0)`` does: ``raise SystemExit(main())`` that nobody catches."""
    if isinstance(made, External):  # the class by itself: ``raise SystemExit``
        made = Object(made.name, 0, (), ())
    if not isinstance(made, Object) or made.name != "builtins.SystemExit":
        return False
    quiet = not made.args or (isinstance(made.args[0], Const) and made.args[0].value in (0, None))
    return quiet and not any(takes(kinds, _END) for try_ in w.tries for kinds in try_.handlers)


def _is_beyond(w: Interp) -> bool:
    """Whether ranks leave before there is a group, because their number is too high: nobody counts on them.

    ``if rank >= world_size: exit()``, where it is not known how many processes were asked for.
    """
    test = w.guards[-1].node if w.guards and w.guards[-1].reason is Reason.IDENTITY else None
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
        return False
    against = test.comparisons[0]
    if not isinstance(against.operator, cst.GreaterThanEqual) or any(event.effect == Effect.INIT for event in w.events):
        return False
    return not isinstance(w.semantics.evaluate(w, against.comparator), Const)


_END: Kinds = frozenset({"SystemExit", "BaseException", "object"})
_STOP: Kinds = frozenset({"StopIteration", "Exception", "BaseException", "object"})
_Handler = Union[cst.ExceptHandler, cst.ExceptStarHandler]
_LEAVES = ENDS | PLACES


def try_statement(w: Interp, node: Try) -> None:
    """A ``try`` statement: the body, what its handlers would do, and what always runs."""
    if guards_import(node):
        w.semantics.block(w, node.body.body)
        if node.orelse is not None and w.state.mask:
            w.semantics.block(w, node.orelse.body.body)
        optional_imports.note(w, node)
        if node.finalbody is not None:
            w.semantics.block(w, node.finalbody.body.body)
        return
    handlers: Sequence[_Handler] = node.handlers
    takers = [
        Taker(
            one,
            may_raise.caught_by(w, one.type),
            frozenset(names_of(one.type)),
            one.name,
            one.body.body,
            of_project=may_raise.is_of_the_project(w, one.type),
        )
        for one in handlers
    ]
    orelse = node.orelse.body.body if node.orelse is not None else ()
    final = node.finalbody.body.body if node.finalbody is not None else None
    _guarded(w, node, takers, lambda: w.semantics.block(w, node.body.body), orelse, final)


def suppressed(w: Interp, node: cst.Call, statement: cst.With, body: Callable[[], None]) -> None:
    """``with contextlib.suppress(OSError)``: a ``try`` whose handler does nothing."""
    swallowed(w, [arg.value for arg in node.args], node, statement, body)


def swallowed(
    w: Interp,
    types: Sequence[cst.BaseExpression],
    node: cst.CSTNode,
    statement: cst.CSTNode,
    body: Callable[[], None],
    run: Callable[[], object] | None = None,
) -> None:
    """A manager takes what its body raises, and the program goes on behind it; ``run`` is what it then does."""
    kinds = [may_raise.caught_by(w, one) for one in types]
    names = frozenset(name for one in types for name in names_of(one))
    taken: Kinds = frozenset[str]().union(*kinds) if all(kinds) else frozenset()
    _guarded(w, statement, [Taker(node, taken, names, run=run)] if types else [], body)


def _guarded(
    w: Interp,
    node: cst.CSTNode,
    takers: Sequence[Taker],
    block: Callable[[], None],
    orelse: Sequence[cst.BaseStatement | cst.BaseSmallStatement] = (),
    finalbody: Sequence[cst.BaseStatement | cst.BaseSmallStatement] | None = None,
) -> None:
    """Code that some handlers watch over, and what runs in any case."""
    mask, path, stays = w.state.mask, w.state.path, w.state.stays
    inside = Try_([taker.kinds for taker in takers], [0] * len(takers), len(w.locals))
    watched = Body([])

    def run_body() -> None:
        watched.nodes = w.state.trace
        w.tries.append(inside)
        w.risks.watched.append(watched)
        try:
            block()
        finally:
            w.tries.pop()
            w.risks.watched.pop()
        if orelse and w.state.mask:
            w.semantics.block(w, orelse)

    before, events, spoken = w.risks.so_far(), len(w.events), w.spoken
    with w.state.watched() as watched.before:
        body = w.trace_of(run_body)
    late = w.risks.since(w.spoken) if w.spoken is not spoken else None
    launched = any(event.effect == Effect.LAUNCH for event in w.events[events:])
    with w.saved(mask=w.state.mask, path=path):
        handled = _handlers(w, node, takers, mask, inside, w.risks.since(before), watched, body)
    final: Nodes = []
    if handled.goes_on:
        w.state.mask |= handled.goes_on
        w.state.stays, w.state.path = stays, path
    if finalbody is not None:
        with w.saved(mask=mask, path=path):  # who leaves comes by, too
            final = w.trace_of(lambda: w.semantics.block(w, finalbody))
            ended = w.state.mask
        w.state.mask &= ended
    before_it = _safe(watched)
    w.state.trace += before_it
    body = body[len(before_it) :]
    if body or final or any(nodes for _, nodes in handled.handlers):
        made = Guarded(body, handled.handlers, handled.swallows, final, handled.guard, mask)
        made.unforeseen, made.broken = None if launched else handled.unforeseen, handled.broken
        made.failing = tuple(pair for pair in watched.facts.items() if path.get(pair[0]) is None)
        made.late = late is not None and fails_behind(takers, handled.unforeseen, late)
        w.state.trace.append(made)
    w.state.trace += [handled.alike] if handled.alike is not None else []


def _safe(body: Body) -> Nodes:
    """What a body begins with and always does: no exception comes before it, and nothing leaves in it."""
    nodes = body.nodes[: body.safe or 0]
    first = next((number for number, node in enumerate(nodes) if leaves_by([node], _LEAVES)), len(nodes))
    return nodes[:first]


@dataclass(slots=True)
class _Handled:
    """What the handlers of a ``try`` do, as in :class:`Guarded`; ``goes_on``: the ranks that raised and go on after.

    ``alike``: a handler that all ranks come to, or none.
    """

    handlers: list[tuple[Kinds, Nodes]]
    goes_on: int = 0
    swallows: bool = False
    guard: Guard | None = None
    unforeseen: int | None = None
    broken: bool = False
    alike: Choice | None = None


def _handlers(
    w: Interp,
    node: cst.CSTNode,
    takers: Sequence[Taker],
    mask: int,
    inside: Try_,
    risks: Risks,
    watched: Body,
    body: Nodes,
) -> _Handled:
    """Walk the handlers that take what the body raises, and the one a rank would come to that failed unforeseen."""
    found = _Handled([(kinds, []) for kinds in inside.handlers])
    if not takers:
        return found
    names = [taker.names for taker in takers]
    some = [
        number
        for number, kinds in enumerate(inside.handlers)
        if risks.reach(kinds)
        and not names[number] <= OF_THE_CODE
        and not (takers[number].of_project and not risks.translated)
    ]
    shared = not risks.anything and fail_alike(body)  # a meeting of ranks fails for all who came to it
    reached = [number for number in some if not (shared or is_of_all(w, takers[number], risks))]
    missing = None if some else of_a_missing_file(takers, risks)
    alike = missing if reached or missing is not None else next(iter(some), None)
    first = next((number for number in reached if not names[number] <= NARROW), next(iter(reached), None))
    for number, handler in enumerate(takers):
        unforeseen = number == first
        if number == alike and not inside.caught[number]:
            _handle_alike(w, node, handler, mask, found, instead=missing is None)
        if not unforeseen and not inside.caught[number]:
            continue
        cause = Varying(Reason.EXCEPTION, fresh("exception"), w.trail(handler.place, "an exception on one rank"))
        if not inside.caught[number]:
            arm, guard = _handler(w, node, handler, mask, w.state.path, cause)
        else:
            arm, guard = _handler(w, node, handler, inside.caught[number], inside.paths[number], cause)
        found.handlers[number] = (inside.handlers[number], arm.nodes)
        found.goes_on |= arm.fall & inside.caught[number]
        if inside.caught[number]:
            ways = None if unforeseen or number in inside.own else _ways(inside.taken[number], w.state.path)
            with w.saved(mask=mask):  # those who raised are among those who go on
                if number == alike:
                    _leave_alike(w, arm, fresh("failed"))
                else:
                    _keep(w, cause, arm.writes, ways)
        if unforeseen:
            found.guard, found.unforeseen = guard, number
            found.broken = not risks.anything and not inside.caught[number]
            found.swallows = (bool(arm.fall) or leaves_by(arm.nodes, PLACES)) and not names[number] <= NARROW
            if arm.fall and risks.anything and not inside.caught[number] and found.swallows:
                if w.state.mask:
                    _answer(w, cause, arm.writes, watched)
                elif w.loops and not mask & ~w.loops[-1].breaks:
                    _tried(w, cause, arm.writes, mask)
    return found


def _handle_alike(
    w: Interp, node: cst.CSTNode, handler: Taker, mask: int, found: _Handled, instead: bool = True
) -> None:
    """Walk a handler that all ranks come to, or none: a choice behind the body.

    ``instead``: what it sets may stand in the place of what the body has worked out; else only constants do.
    """
    failed, ways = fresh("failed"), w.frame.returns
    before = len(ways)
    w.presence.handlers += 1
    try:
        arm = w.state.arm(mask, (failed, True), lambda: _run(w, handler))
    finally:
        w.presence.handlers -= 1
    if not instead:
        ways[before:] = [way for way in ways[before:] if isinstance(way.value, Const)]
    _leave_alike(w, arm, failed, instead)
    found.goes_on |= arm.fall
    ends = mask != EVERYONE and not arm.fall  # who is not among these ranks is ended by the launcher, not left waiting
    if arm.nodes and not ends:
        guard = w.guard(GuardKind.EXCEPT, handler.place, node, Reason.EXCEPTION, None)
        found.alike = Choice(failed, guard, arm.nodes, [])


def _leave_alike(w: Interp, arm: Arm, failed: Symbol, instead: bool = True) -> None:
    """What a handler sets that all ranks come to, or none: a choice, by whether they have ``failed``."""
    for where, value in arm.writes.items() if arm.fall else ():
        whole = w.state.store.get(where, UNBOUND)
        if instead or whole is UNBOUND or (isinstance(whole, Const) and isinstance(value, Const)):
            w.state.write(where, either(failed, value, whole))


def _run(w: Interp, handler: Taker) -> None:
    if handler.name is not None and isinstance(handler.name.name, cst.Name):
        w.semantics.assign(w, handler.name.name, unknown("exception"))
    w.semantics.block(w, handler.body)
    if handler.run is not None:
        handler.run()


def _handler(
    w: Interp, node: cst.CSTNode, handler: Taker, mask: int, path: PathCondition, cause: Varying
) -> tuple[Arm, Guard]:
    """Walk one handler."""
    guard = w.guard(GuardKind.EXCEPT, handler.place, node, Reason.EXCEPTION, cause.trail)

    with w.saved(path=path, guards=(*w.guards, guard), locals=(*w.locals, cause)):
        arm = w.state.arm(mask, None, lambda: _run(w, handler))
    return arm, guard


def _answer(w: Interp, cause: Varying, writes: Mapping[Location, Value], watched: Body) -> None:
    """What says whether a body came to its end is each rank's own: a constant behind it, another one if it failed.

    What it worked out is not: where that is missing, the program is seldom the same for long.
    """
    for where in dict.fromkeys([*writes, *watched.before]):
        whole = w.state.store.get(where)
        unchanged = whole if where in watched.early else watched.before.get(where, whole)
        failed = writes.get(where, unchanged)
        if where[1].isidentifier() and isinstance(whole, Const) and isinstance(failed, Const):
            w.state.write(where, local_join(cause, failed, whole))


def _tried(w: Interp, cause: Varying, writes: Mapping[Location, Value], mask: int) -> None:
    """What a handler sets for the next round, where a body that came to its end has left the loop: each found its own.

    ``try: trial(size); break`` and ``except RuntimeError: size //= 2``.
    """
    with w.saved(mask=mask):
        for where, value in writes.items():
            whole = w.state.store.get(where)
            if where[1].isidentifier() and isinstance(whole, _NUMBERS) and isinstance(value, _NUMBERS):
                w.state.write(where, local_join(cause, value, whole))


_NUMBERS = (Const, Unknown)
_Ways = list[tuple[int, list[tuple[Symbol, bool]]]]


def _ways(taken: Sequence[tuple[int, PathCondition]], before: PathCondition) -> _Ways | None:
    """Which ranks come to a handler, and what decides on it; None where that is too much to keep."""
    ways = [(mask, independent(path.since(before))) for mask, path in taken]
    return ways if sum(len(literals) for _, literals in ways) <= limits.HANDLER_LITERALS else None


def _keep(w: Interp, cause: Varying, writes: Mapping[Location, Value], ways: _Ways | None) -> None:
    """What a handler has written stands for those that came to it: it is known who, or each rank may have failed."""
    for where, value in writes.items():
        kept = w.state.store.get(where, UNBOUND)
        if ways is None:
            w.state.write(where, local_join(cause, value, kept))
            continue
        for mask, literals in ways:
            new = value
            for what, known in reversed(literals):
                new = either(what, new, kept) if known else either(what, kept, new)
            kept = rank_join([new if mask >> rank & 1 else kept for rank in range(WORLD_SIZE)], cause.trail)
        w.state.write(where, kept)
