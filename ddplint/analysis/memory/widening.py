"""Between two rounds of a loop: what was counted in the first may be any number in a later one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ddplint.analysis.domain.join import by_rank, either, project, trail_of
from ddplint.analysis.domain.symbols import fresh
from ddplint.analysis.domain.values import WORLD_SIZE, Const, Either, PerRank, Unknown, Value, Varying
from ddplint.analysis.memory.store import Location

if TYPE_CHECKING:
    from ddplint.analysis.interp.interpreter import Walker

_Pairs = dict[tuple[Value, Value], Value]


def widen(w: Walker, before: Mapping[Location, Value | None]) -> bool:
    """Forget the numbers that a round changed, so that the next one stands for all that follow.

    Parameters: ``before``, what the locations written in the round held when it began. Returns whether there were any,
    those that each rank counts for itself among them.
    """
    same: _Pairs = {}
    found = False
    for where, old in before.items():
        new = w.state.store.get(where)
        if old is not None and new is not None and old != new:
            wider = _wider(old, new, same)
            if wider != new:
                w.state.write(where, wider)
            found |= wider != new or (_is_number(old) and isinstance(new, (Either, Varying)))
    return found


def _wider(old: Value, new: Value, same: _Pairs) -> Value:
    if old == new:
        return new
    if isinstance(new, PerRank) or (isinstance(old, PerRank) and isinstance(new, Const)):
        ranks = [_wider(project(old, rank), project(new, rank), same) for rank in range(WORLD_SIZE)]
        return by_rank(ranks, trail_of(new) or trail_of(old))
    if isinstance(new, Either) and new.local is None:
        return either(new.symbol, _wider(old, new.yes, same), _wider(old, new.no, same))
    if _is_number(old) and _is_number(new):
        return same.setdefault((old, new), Unknown(fresh("counted")))
    return new


def _is_number(value: Value) -> bool:
    return isinstance(value, Const) and isinstance(value.value, (int, float)) and not isinstance(value.value, bool)
