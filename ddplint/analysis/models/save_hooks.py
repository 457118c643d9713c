"""Functions that a framework was asked to call whenever it saves: they run where the save is called, on its ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from ddplint.analysis.domain.symbols import fresh
from ddplint.analysis.domain.values import Bound, Function, Tuple, Unknown, Value
from ddplint.analysis.semantics import calls

if TYPE_CHECKING:
    from ddplint.analysis.interp.interpreter import Walker
    from ddplint.knowledge import Api

REGISTERS, RUNS = "registers_hook", "runs_hooks"
"""What rows say in ``also`` of the call that takes such a function, and of the one that calls them."""

_KEPT = "<hooks>"
_GIVEN = ("models", "weights")


def note(w: Walker, row: Api | None, receiver: Value, args: list[Value], kwargs: dict[str, Value]) -> None:
    """Keep the function that a registration is given."""
    if row is None or REGISTERS not in row.also:
        return
    hook = args[0] if args else kwargs.get("hook")
    if isinstance(hook, (Function, Bound)):
        w.state.write((w.owner(receiver), _KEPT), Tuple((*_kept(w, receiver), hook)))


def run(w: Walker, row: Api, receiver: Value | None, path: Value | None, node: cst.CSTNode) -> None:
    """Call what was registered, with what is saved (unknown) and the folder that it goes to."""
    if RUNS in row.also and receiver is not None:
        for hook in _kept(w, receiver):
            given: list[Value] = [Unknown(fresh(name)) for name in _GIVEN]
            calls.call_value(w, hook, [*given, path or Unknown(fresh("folder"))], {}, node)


def _kept(w: Walker, receiver: Value) -> tuple[Value, ...]:
    held = w.state.read((w.owner(receiver), _KEPT))
    return held.items if isinstance(held, Tuple) else ()
