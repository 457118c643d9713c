"""``while``: iterations until a condition that ranks may see differently."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.origins import GuardKind
from ddplint.analysis.domain.values import Const, Value
from ddplint.analysis.interp import left_behind
from ddplint.analysis.memory.frames import Loop_
from ddplint.analysis.memory.numbers import widen
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.semantics.looping import iteration, loops
from ddplint.analysis.trace.exits import RETURNS, ExitKind
from ddplint.analysis.trace.nodes import Exit, Nodes, leaves, leaves_by, parts_for_good


def while_loop(w: Interp, node: cst.While) -> None:
    """A ``while`` statement: the test is a decision at the head of every iteration."""
    with w.saved(around=(*w.around, iteration.entered(w, node, node.test, None))):
        _while(w, node)


def _while(w: Interp, node: cst.While) -> None:
    iterations: list[Nodes] = []
    left = done = 0
    exact = endless = False
    path = w.state.path
    literal = isinstance(node.test, (cst.Name, cst.Integer))
    widened: int | None = None
    for index in range(limits.WHILE_ITERATIONS):
        with w.state.watched() as before:
            nodes, ends, test = _while_iteration(w, node)
        iterations.append(nodes)
        left |= ends.breaks
        done |= ends.done
        w.state.mask |= ends.continues
        left_behind.fold(w, ends.left, path, before)
        known = w.truth(test)
        if known is False or not w.state.mask:
            exact = True
            break
        long = literal and widened is not None and (left or done or index >= widened + limits.ENDLESS_ITERATIONS)
        if index >= 1 and (known is not True or w.tired or long):
            endless = known is True and (bool(left | done) or any(leaves_by(one, RETURNS) for one in iterations))
            break
        left_now = leaves(nodes) and (index == limits.LEFT_ITERATION or not _counts_on(w, before))
        if literal and widened is None and (left_now or index == limits.COUNTED_ITERATIONS - 1):
            widened = index
        if known is not True or widened == index or index == limits.EXACT_ITERATIONS - 1:
            widen(w, before)
    if not exact and len(iterations) > 1 and parts_for_good(iterations[-1]):
        iterations.append(iterations[-1])
    if endless:
        w.state.leave()
    if left | done:
        w.state.path = path
    w.state.mask |= done
    loops.finish(w, node, iterations, exact, [], left, None, endless)


def _counts_on(w: Interp, before: Mapping[tuple[int, str], Value | None]) -> bool:
    """Whether a number that is known after an iteration was another one before it."""
    for where, old in before.items():
        new = w.state.store.get(where)
        if isinstance(old, Const) and isinstance(new, Const) and isinstance(new.value, int) and old != new:
            return True
    return False


def _while_iteration(w: Interp, node: cst.While) -> tuple[Nodes, Loop_, Value]:
    ends = Loop_(begun=left_behind.depth(w))
    tests: list[Value] = []

    def stop() -> Value | None:
        if node.orelse is None:
            ends.breaks |= w.state.mask
        else:
            ends.done |= w.state.mask
        w.state.leave(Exit(ExitKind.BREAK if node.orelse is None else ExitKind.DONE, w.here(node)))
        return None

    def go() -> Value | None:
        w.semantics.block(w, node.body.body)
        return None

    def run() -> None:
        tests.append(w.semantics.evaluate(w, node.test))
        w.branch(tests[0], node.test, node, GuardKind.WHILE, go, stop)

    path = w.state.path
    with w.saved(loops=[*w.loops, ends], stays=w.state.stays):
        nodes = w.trace_of(run)
    if ends.continues:
        w.state.path = path
    return nodes, ends, tests[0]
