"""Calls that communicate once for each name (``log``), or each key of a dictionary (``log_dict``).

Ranks need the same names.
"""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.origins import GuardKind, Reason
from ddplint.analysis.domain.symbols import fresh
from ddplint.analysis.domain.values import NONE, Value, Varying, varying_in
from ddplint.analysis.memory import containers, filling
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.trace.nodes import Local, Loop

ROLE = "one_for_each"
"""What a row says of such a call, of the elements of its first argument."""


NAMED = "named"
"""What a row says of such a call, which communicates under the name that is its first argument."""


def under_a_name(w: Interp, name: Value | None, operate: Callable[[], object], node: cst.CSTNode) -> None:
    """Communicate under a name: where each rank takes one out of its own data, others may never do so under it."""
    own = varying_in(name) if name is not None else None
    if own is None or own.reason is not Reason.DATA or not _is_data(w, own):
        operate()
        return
    nodes = w.trace_of(operate)
    guard = w.guard(GuardKind.CALL, node, node, own.reason, own.trail)
    w.state.trace.append(Local(own.symbol, guard, nodes, [], w.state.mask))


def _is_data(w: Interp, name: Varying) -> bool:
    """Whether a name is made of what stands in a batch; the keys of a mapping, of a model's losses, are none of it."""
    parts = list(name.symbol.within(limits.TERM_PARTS))
    if any(one.is_fresh("element") for one in parts):
        return filling.is_datum(w, name.symbol)
    return any(one.is_fresh("batch") for one in parts)


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
