"""What a call gives, of all the ways in which its function is left."""

from __future__ import annotations

from collections.abc import Sequence

from ddplint.analysis.domain.join import either, local_join, project, rank_join
from ddplint.analysis.domain.origins import Guard, Origin, Reason
from ddplint.analysis.domain.values import NONE, UNBOUND, Const, Trail, Value, ranks_of
from ddplint.analysis.memory.frames import CallFrame, Return_
from ddplint.analysis.memory.protocol import Interp


def of_call(w: Interp, frame: CallFrame, mask: int) -> Value:
    """What the ranks in ``mask`` get from a call that ends now."""
    ways = list(frame.returns)
    if w.state.mask:
        local = w.locals[-1] if len(w.locals) > frame.locals_depth else None
        ways.append(Return_(w.state.mask, (), local, NONE))
    if _answers(frame, ways) or any(outer.then for outer in w.frames):  # a framework asks whether a rank failed
        ways.sort(key=lambda way: way.local is None or way.local.reason is not Reason.EXCEPTION)
    if not ways:
        return NONE
    if len(ways) == 1:
        return ways[0].value
    results: list[Value] = [UNBOUND] * 4
    same: dict[tuple[object, ...], Value] = {}
    for rank in ranks_of(mask):
        key = tuple((id(way), project(way.value, rank)) for way in ways if way.mask >> rank & 1)
        if key not in same:
            same[key] = _result_for(rank, ways)
        results[rank] = same[key]
    spare = next((value for value in results if value is not UNBOUND), NONE)
    results = [spare if value is UNBOUND else value for value in results]
    guard = w.guards[-1] if w.guards else None
    return rank_join(results, _of_guard(guard) if guard is not None and guard.origins else None)


def _answers(frame: CallFrame, ways: Sequence[Return_]) -> bool:
    """Whether a function only says how it went, so that one that failed says so on its rank alone."""
    return not frame.tells and all(isinstance(way.value, Const) for way in ways)


def _of_guard(guard: Guard) -> Trail:
    """The provenance of what only those return that a guard lets in."""
    trail: Trail | None = None
    for origin in guard.origins:
        trail = Trail(origin, trail)
    return Trail(Origin(guard.file, guard.node, ""), trail)


def _result_for(rank: int, ways: list[Return_]) -> Value:
    taken = [way for way in ways if way.mask >> rank & 1]
    if not taken:
        return UNBOUND
    result = project(taken[-1].value, rank)
    for way in reversed(taken[:-1]):
        value = project(way.value, rank)
        if way.local is not None:
            result = local_join(way.local, value, result)
        else:
            for what, known in reversed(way.literals):
                value = either(what, value, result) if known else either(what, result, value)
            result = value
    return result
