"""A framework's own functions, in a checkout of its sources or a copy within a project.

The tables say what a function of a certain version does; how it stands there counts for more, where that is plain.
"""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.values import Const, Function, PerRank, Value
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.models import decorators
from ddplint.analysis.trace.events import Event
from ddplint.analysis.trace.nodes import Nodes, Op, parts
from ddplint.knowledge import Api
from ddplint.project.visits import Visits


def known(
    w: Interp, function: Function, args: Args, kwargs: Kwargs, node: cst.CSTNode, walk: Callable[[], Value]
) -> Value | None:
    """What a call of a function gives that the tables know; ``None`` where they do not.

    Parameters: ``walk`` walks the function as it stands there.
    """
    row = decorators.row_of(w, function)
    if row is None:
        return None
    written = _as_written(w, row, walk)
    return written if written is not None else decorators.as_the_row_says(w, row, function, args, kwargs, node)


def _as_written(w: Interp, row: Api, walk: Callable[[], Value]) -> Value | None:
    """What a function does by its own text, where that is plain; ``None`` where it is not, and nothing is done.

    That is: for each rank whether it is meant, a group that is made, or operations with the others.
    """
    if not row.framework or row.when or row.form != "function":
        return None
    if row.kind == "rank_predicate":
        return _tried(w, walk, lambda value, nodes, events: _is_each_known(value))
    if row.kind == "init" and "group_factory" not in row.also:
        return _tried(w, walk, lambda value, nodes, events: any(one.effect == Effect.INIT for one in events))
    if row.kind in ("collective", "save_all_ranks") and not row.also:
        return _tried(w, walk, lambda value, nodes, events: _speaks(nodes))
    return None


def _tried(w: Interp, walk: Callable[[], Value], is_plain: Callable[[Value, Nodes, list[Event]], bool]) -> Value | None:
    """The walk of a function, taken back where it is not plain: then it is entered for itself, as before."""
    before, called = len(w.events), set(w.called)
    visits, w.visits = w.visits, Visits()
    try:
        arm = w.state.arm(w.state.mask, None, walk)
    finally:
        tried, w.visits = w.visits, visits
    if arm.value is not None and is_plain(arm.value, arm.nodes, w.events[before:]):
        w.visits.add(tried)
        w.state.go_on_from(arm)
        return arm.value
    del w.events[before:]
    w.called.intersection_update(called)
    return None


def _is_each_known(value: Value) -> bool:
    return isinstance(value, PerRank) and all(isinstance(one, Const) for one in value.values)


def _speaks(nodes: Nodes) -> bool:
    return any(isinstance(node, Op) or any(map(_speaks, parts(node))) for node in nodes)
