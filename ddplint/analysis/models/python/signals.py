"""Flags that a signal handler sets: a signal reaches each rank at a time of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.analysis.domain.facts import Reason
from ddplint.analysis.domain.symbols import fresh
from ddplint.analysis.domain.values import UNBOUND, Bound, Const, Function, Instance, Partial, Unknown, Value, Varying
from ddplint.analysis.openworld import initial_state

if TYPE_CHECKING:
    from ddplint.analysis.interp.interpreter import Walker
    from ddplint.analysis.memory.store import Location


def registered(w: Walker, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode) -> Value | None:
    """``signal.signal(number, handler)``: from here on no two ranks need to see the same in what the handler sets."""
    handler = kwargs.get("handler") or (args[1] if len(args) > 1 else None)
    given = w.state.narrow(handler) if handler is not None else None
    if isinstance(given, Function):
        w.signalled[given.key] = given.name
    for where in _set_by(w, handler):
        held = w.state.read(where)
        if held is None or held is UNBOUND or isinstance(held, (Const, Unknown)):
            trail = w.trail(node, "a signal: it comes to each rank at its own time")
            flag = w.by_signal[where] = Varying(Reason.CLOCK, fresh("signal"), trail)
            w.state.write(where, flag)
    return None


def _set_by(w: Walker, handler: Value | None) -> Iterator[Location]:
    handler = w.state.narrow(handler) if handler is not None else None
    while isinstance(handler, Partial):
        handler = handler.function
    receiver = handler.receiver if isinstance(handler, Bound) else None
    function = handler.function if isinstance(handler, Bound) else handler
    if not isinstance(function, Function) or not isinstance(function.node, cst.FunctionDef):
        return
    for name in initial_state.globals_of(function.node):
        yield function.module.scope, name
    if isinstance(receiver, Instance):
        for name in initial_state.attributes_of(function.node):
            yield receiver.id, name
