"""What is taken out of traces before they are compared."""

from __future__ import annotations

from typing import Any, cast

from ddplint.analysis.compare.search import compare
from ddplint.analysis.domain.symbols import fresh
from ddplint.analysis.trace import simplify
from ddplint.analysis.trace.exits import ExitKind
from ddplint.analysis.trace.nodes import Choice, Exit, Guarded, Loop, Op, Opaque, Scope

GUARD: Any = None
OP = Op(cast(Any, None), "barrier")
UNKNOWN = Opaque(cast(Any, None), "unknown", 15)
MODEL = Opaque(cast(Any, None), "model", 15, model=True)


def simplified(nodes: list[Any]) -> list[Any]:
    kept, cut = simplify.simplified(nodes)
    assert not cut
    return kept


def choice(then: list[Any], other: list[Any]) -> Choice:
    return Choice(fresh("flag"), GUARD, then, other)


def test_decisions_and_loops_without_communication_go() -> None:
    assert simplified(
        [choice([], [Exit(ExitKind.RAISE)]), Loop([[choice([], [])]], False, [fresh("round")], GUARD), OP]
    ) == [OP]


def test_a_function_that_only_returns_early_goes() -> None:
    assert simplified([Scope([choice([Exit(ExitKind.RETURN)], []), choice([], [])]), OP]) == [OP]


def test_an_exit_that_leaves_its_place_stays() -> None:
    leaving = choice([Exit(ExitKind.RETURN)], [])
    assert simplified([Scope([leaving, OP])])[0] is not OP
    assert len(cast(Scope, simplified([Scope([leaving, OP])])[0]).nodes) == 2


def test_raising_inside_a_try_stays() -> None:
    raising = choice([Exit(ExitKind.RAISE)], [])
    kept = simplified([Guarded([raising, OP], [], True, [], GUARD), OP])
    assert cast(Guarded, kept[0]).body == [OP]
    kept = simplified([Guarded([raising, OP], [(frozenset(), [OP])], True, [], GUARD), OP])
    assert len(cast(Guarded, kept[0]).body) == 2


def merged(trace: list[Any]) -> tuple[str, bool]:
    """The one call that stays: its name, none for several in one, and whether it is a model's."""
    [left] = simplified(trace)
    assert isinstance(left, Opaque)
    return left.name, left.model


def test_unknown_calls_stay_where_every_way_meets_one() -> None:
    assert simplified([choice([UNKNOWN], [])]) == []
    assert merged([choice([MODEL], [UNKNOWN])]) == ("", True)
    assert simplified([choice([MODEL], [MODEL])]) == [MODEL]
    assert simplified([choice([UNKNOWN], [Exit(ExitKind.RAISE)])]) == [UNKNOWN]
    assert merged([Scope([MODEL, UNKNOWN])]) == ("", False)


def test_short_cuts_in_long_traces_are_said() -> None:
    assert compare([OP] * 1500)[1] == []
    assert compare([OP] * 1501)[1] == ["failures that all ranks share were left out of the comparison: it is long"]
