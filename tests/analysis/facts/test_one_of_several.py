"""What one of several things gave, of which nobody knows which: a wrapped model may be among them."""

from __future__ import annotations

from ddplint.analysis.domain.symbols import fresh, symbol
from ddplint.analysis.domain.values import Const, Unknown, Value
from ddplint.rule.facts import is_made_by_one_of_several


def given_by(callee: object) -> Value:
    return Unknown(symbol("apply", callee, fresh("batch")))


def test_a_joined_callee_is_one_of_several() -> None:
    several = symbol("joined", fresh("joined"), fresh("model"), fresh("other"))
    assert is_made_by_one_of_several(given_by(several))
    assert not is_made_by_one_of_several(Unknown(several))


def test_other_values_are_not() -> None:
    assert not is_made_by_one_of_several(given_by(fresh("model")))
    assert not is_made_by_one_of_several(Unknown(fresh("batch")))
    assert not is_made_by_one_of_several(Const(1))
