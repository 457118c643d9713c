"""What a path takes for granted follows also where part of a condition is known."""

from __future__ import annotations

import pytest

from ddplint.analysis.domain.path_condition import Assumptions
from ddplint.analysis.domain.symbols import fresh, symbol
from ddplint.analysis.domain.values import FALSE, TRUE


@pytest.mark.parametrize("head", ["and", "or"])
@pytest.mark.parametrize("first", [True, False])
def test_a_condition_with_a_known_part(head: str, first: bool) -> None:
    open_part = fresh("x")
    known = TRUE if head == "and" else FALSE
    parts = (known, open_part) if first else (open_part, known)
    what = symbol(head, *parts)
    assert Assumptions().get(what) is None
    for value in (True, False):
        assert Assumptions().add(open_part, value).get(what) is value
    decided = head == "and"
    assert Assumptions().add(what, decided).get(open_part) is decided
    assert Assumptions().add(what, not decided).get(open_part) is not decided


@pytest.mark.parametrize("head", ["and", "or"])
def test_a_part_follows_where_the_other_is_known(head: str) -> None:
    first, second = fresh("x"), fresh("y")
    what, decided = symbol(head, first, second), head == "and"
    assert Assumptions().add(what, not decided).get(second) is None
    assert Assumptions().add(first, decided).add(what, not decided).get(second) is not decided
    assert Assumptions().add(first, not decided).add(what, not decided).get(second) is None


def test_a_part_that_decides() -> None:
    open_part = fresh("x")
    path = Assumptions().add(fresh("y"), True)
    assert path.get(symbol("and", open_part, FALSE)) is False
    assert path.get(symbol("or", TRUE, open_part)) is True
    assert path.get(symbol("not", symbol("or", TRUE, open_part))) is False
