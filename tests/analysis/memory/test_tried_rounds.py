"""Whether two conditions on the number of an iteration hold in one."""

from __future__ import annotations

import pytest

from ddplint.analysis.domain.symbols import fresh, symbol
from ddplint.analysis.domain.term import Symbol
from ddplint.analysis.domain.values import Const
from ddplint.analysis.memory.shares.tried_rounds import meet

NUMBER = fresh("index")
EVERY = symbol("name", "setup", "every")


def remainder(offset: int, by: Symbol | int, left: int) -> Symbol:
    """``(number + offset) % by == left``."""
    number = symbol("op", "+", NUMBER, Const(offset)) if offset else NUMBER
    return symbol("op", "==", symbol("op", "%", number, by if isinstance(by, Symbol) else Const(by)), Const(left))


@pytest.mark.parametrize("by", [EVERY, 4], ids=["any number", "a known number"])
def test_remainders(by: Symbol | int) -> None:
    last = remainder(1, by, 0)
    assert meet({remainder(0, by, 0): False}, {last: True}) is True
    assert meet({remainder(0, by, 0): True}, {last: True}) is False
    assert meet({last: False}, {last: True}) is False


def test_what_hangs_on_the_number_is_not_known() -> None:
    """Every second iteration is left out with 2, not with 3."""
    assert meet({remainder(0, 2, 0): True}, {remainder(1, EVERY, 0): True}) is None


def test_something_else_decides() -> None:
    asked = symbol("call", "setup.ready")
    assert meet({asked: True}, {remainder(1, 4, 0): True}) is None
    assert (
        meet({symbol("op", "==", symbol("call", "setup.f", NUMBER), Const(0)): True}, {remainder(1, 4, 0): True})
        is None
    )
