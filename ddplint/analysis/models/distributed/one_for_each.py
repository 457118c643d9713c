"""Calls that communicate once for each key of a dictionary (``log_dict``): ranks need the same keys."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from ddplint.analysis.domain.origins import GuardKind
from ddplint.analysis.domain.symbols import fresh
from ddplint.analysis.domain.values import NONE, Value
from ddplint.analysis.memory import containers, filling
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.trace.nodes import Loop

ROLE = "one_for_each"
"""What a row says of such a call, of the elements of its first argument."""


def run(w: Interp, elements: Value, operate: Callable[[], object], node: cst.CSTNode) -> None:
    """Communicate as often as a rank has elements: of unknown ones once, as all have the same."""
    content = next(iter(filling.apart(w, [elements])), None)
    if content is not None:
        w.split(content, node, GuardKind.FOR, lambda _: _as_often(w, elements, operate, node))
    else:
        _as_often(w, elements, operate, node)


def _as_often(w: Interp, elements: Value, operate: Callable[[], object], node: cst.CSTNode) -> Value:
    cause, items = filling.own_length(w, elements), containers.items_of(w, elements)
    if cause is None:
        for _ in items if items is not None else (None,):
            operate()
        return NONE
    nodes = w.trace_of(operate)
    guard = w.guard(GuardKind.COMPREHENSION, node, node, cause.reason, cause.trail)
    w.state.trace.append(Loop([nodes], False, [fresh("round")], guard, True, False, bool(w.tolerant), w.state.mask))
    return NONE
