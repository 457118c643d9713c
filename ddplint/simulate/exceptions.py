"""``try``, ``raise`` and the ends of a process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.simulate import loops, statements
from ddplint.simulate.facts import Guard, Reason
from ddplint.simulate.symbols import fresh
from ddplint.simulate.trace import Exit, Guarded, Nodes, leaves_by
from ddplint.simulate.values import Value, Varying, unknown
from ddplint.simulate.walker import Try_

if TYPE_CHECKING:
    from ddplint.simulate.walker import Walker


def leave(w: Walker, node: cst.CSTNode) -> None:
    """``raise`` (or a failed ``assert``): the active ranks go to the nearest handler, or end."""
    w.emit("raise", "raise", node, details={"caught": bool(w.tries)})
    w.risks += 1
    w.state.trace.append(Exit("raise", w.here(node)))
    if w.tries:
        w.tries[-1].caught |= w.state.mask
    w.state.mask = 0


def end_process(w: Walker, node: cst.CSTNode, quiet: bool) -> None:
    """``sys.exit``: ``quiet`` when with code 0, which does not tear the job down."""
    w.state.trace.append(Exit("exit", w.here(node), quiet))
    w.state.mask = 0


_IMPORT_ERRORS = frozenset({"ImportError", "ModuleNotFoundError"})
_GOES_ON = frozenset({"continue", "break", "return"})
_NARROW = frozenset(
    {
        "ImportError",
        "ModuleNotFoundError",
        "AttributeError",
        "KeyError",
        "IndexError",
        "StopIteration",
        "KeyboardInterrupt",
    }
)


def try_statement(w: Walker, node: cst.Try | cst.TryStar) -> None:
    """A ``try`` statement: the body, what its handlers would do, and what always runs."""
    if _guards_import(node):
        statements.block(w, node.body.body)
        if node.orelse is not None and w.state.mask:
            statements.block(w, node.orelse.body.body)
        if node.finalbody is not None:
            statements.block(w, node.finalbody.body.body)
        return
    mask, path = w.state.mask, w.state.path
    caught = Try_()
    body: Nodes = []
    handler: Nodes
    guard: Guard | None

    def run_body() -> None:
        if node.handlers:
            w.tries.append(caught)
        try:
            statements.block(w, node.body.body)
        finally:
            if node.handlers:
                w.tries.pop()
        if node.orelse is not None and w.state.mask:
            statements.block(w, node.orelse.body.body)

    risks = w.risks
    body = w.trace_of(run_body)
    fall = w.state.mask
    handler, handled, swallows, guard = [], 0, False, None
    if w.risks > risks:
        handler, handled, swallows, guard = _handlers(w, node, mask, caught)
    final: Nodes = []
    w.state.mask = fall | (handled & caught.caught)
    if handled & caught.caught:
        w.state.path = path
    if node.finalbody is not None:
        after = w.state.mask
        w.state.mask = mask
        final = w.trace_of(lambda: statements.block(w, node.finalbody.body.body))  # type: ignore[union-attr]
        w.state.mask &= after if after else 0
    if body or handler or final:
        w.state.trace.append(Guarded(body, handler, swallows, final, guard, mask))


def _guards_import(node: cst.Try | cst.TryStar) -> bool:
    names = [name for handler in node.handlers for name in _names(handler.type)]
    return bool(names) and all(name in _IMPORT_ERRORS for name in names)


def _names(node: cst.BaseExpression | None) -> list[str]:
    if node is None:
        return ["BaseException"]
    if isinstance(node, cst.Tuple):
        return [name for element in node.elements for name in _names(element.value)]
    if isinstance(node, cst.Attribute):
        return [node.attr.value]
    return [node.value] if isinstance(node, cst.Name) else ["?"]


def _handlers(w: Walker, node: cst.Try | cst.TryStar, mask: int, caught: Try_) -> tuple[Nodes, int, bool, Guard | None]:
    """Walk the handlers as a rank would that failed: their trace, who goes on after, whether one swallows."""
    if not node.handlers:
        return [], 0, False, None
    first = next((h for h in node.handlers if not set(_names(h.type)) <= _NARROW), node.handlers[0])
    cause = Varying(Reason.EXCEPTION, fresh("exception"), w.trail(first, "an exception on one rank"))
    guards, local = w.guards, w.locals
    guard = w._guard("except", first, node, Reason.EXCEPTION, cause.trail)
    w.guards, w.locals = (*guards, guard), (*local, cause)

    def run() -> None:
        if first.name is not None and isinstance(first.name.name, cst.Name):
            loops.assign(w, first.name.name, unknown("exception"))
        statements.block(w, first.body.body)

    arm = w.state.arm(mask, None, run)
    w.guards, w.locals = guards, local
    if caught.caught:
        _keep(w, cause, arm.writes)
    broad = not set(_names(first.type)) <= _NARROW
    swallows = bool(arm.fall) or leaves_by(arm.nodes, _GOES_ON)
    return arm.nodes, arm.fall, swallows and broad, guard


def _keep(w: Walker, cause: Varying, writes: Mapping[tuple[int, str], Value]) -> None:
    from ddplint.simulate.state import parted
    from ddplint.simulate.values import UNBOUND

    for where, value in writes.items():
        w.state.write(where, parted(cause, value, w.state.store.get(where, UNBOUND)))
