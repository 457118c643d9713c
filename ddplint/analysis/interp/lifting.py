"""Computing with values that ranks or paths see differently: once for each that somebody sees."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from ddplint.analysis.domain.join import project, rank_join, trail_of
from ddplint.analysis.domain.values import UNBOUND, Either, PerRank, Value, ranks_of
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.store import NARROWED


def lift(w: Interp, node: cst.CSTNode, compute: Callable[..., Value], *values: Value) -> Value:
    """Apply ``compute`` to each alternative the active ranks or paths see in ``values``."""
    for value in values:
        if type(value) in NARROWED:
            break
    else:
        return compute(*values)
    narrowed = [w.state.narrow(value) for value in values]
    for index, value in enumerate(narrowed):
        if type(value) is PerRank:
            return _lift_ranks(w, node, compute, narrowed)
        if type(value) is Either:
            return _lift_either(w, node, compute, narrowed, index, value)
    return compute(*narrowed)


def _lift_ranks(w: Interp, node: cst.CSTNode, compute: Callable[..., Value], values: list[Value]) -> Value:
    groups: dict[tuple[Value, ...], int] = {}
    results: list[Value] = [UNBOUND] * 4
    back = next((t for value in values if (t := trail_of(value)) is not None), None)
    for rank in ranks_of(w.state.mask):
        seen = tuple(project(value, rank) for value in values)
        groups[seen] = groups.get(seen, 0) | 1 << rank
    for seen, group in groups.items():
        with w.saved(mask=group):
            found = w.lift(node, compute, *seen)
        for rank in ranks_of(group):
            results[rank] = found
    result = rank_join(results, w.trail(node, "", back))
    w.models.note_name(w, node, values, result)
    return result


def _lift_either(
    w: Interp, node: cst.CSTNode, compute: Callable[..., Value], values: list[Value], index: int, value: Either
) -> Value:
    from ddplint.analysis.domain.join import either, local_join

    sides: list[Value] = []
    path = w.state.path
    for known, side in ((True, value.yes), (False, value.no)):
        with w.saved(path=path.add(value.symbol, known)):
            sides.append(w.lift(node, compute, *values[:index], side, *values[index + 1 :]))
    if value.local is not None:
        return local_join(value.local, sides[0], sides[1])
    return either(value.symbol, sides[0], sides[1])
