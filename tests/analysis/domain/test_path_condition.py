"""What a path takes for granted follows also where part of a condition is known."""

from __future__ import annotations

import pytest

from ddplint.analysis.domain.path_condition import PathCondition, independent
from ddplint.analysis.domain.symbols import fresh, symbol
from ddplint.analysis.domain.term import Symbol
from ddplint.analysis.domain.values import FALSE, TRUE, Const, External, Tuple


@pytest.mark.parametrize("head", ["and", "or"])
@pytest.mark.parametrize("first", [True, False])
def test_a_condition_with_a_known_part(head: str, first: bool) -> None:
    open_part = fresh("x")
    known = TRUE if head == "and" else FALSE
    parts = (known, open_part) if first else (open_part, known)
    what = symbol(head, *parts)
    assert PathCondition().get(what) is None
    for value in (True, False):
        assert PathCondition().add(open_part, value).get(what) is value
    decided = head == "and"
    assert PathCondition().add(what, decided).get(open_part) is decided
    assert PathCondition().add(what, not decided).get(open_part) is not decided


@pytest.mark.parametrize("head", ["and", "or"])
def test_a_part_follows_where_the_other_is_known(head: str) -> None:
    first, second = fresh("x"), fresh("y")
    what, decided = symbol(head, first, second), head == "and"
    assert PathCondition().add(what, not decided).get(second) is None
    assert PathCondition().add(first, decided).add(what, not decided).get(second) is not decided
    assert PathCondition().add(first, not decided).add(what, not decided).get(second) is None


def test_a_part_that_decides() -> None:
    open_part = fresh("x")
    path = PathCondition().add(fresh("y"), True)
    assert path.get(symbol("and", open_part, FALSE)) is False
    assert path.get(symbol("or", TRUE, open_part)) is True
    assert path.get(symbol("not", symbol("or", TRUE, open_part))) is False


@pytest.mark.parametrize("head", ["and", "or"])
def test_a_part_follows_as_soon_as_the_other_is_known(head: str) -> None:
    first, second, third = fresh("x"), fresh("y"), fresh("z")
    decided = head == "and"
    path = PathCondition().add(symbol(head, first, symbol(head, second, third)), not decided)
    path = path.add(second, decided).add(first, decided)
    assert path.get(third) is not decided
    assert PathCondition().add(symbol(head, first, second), not decided).add(third, decided).get(second) is None


def test_what_is_left_open_of_a_compound_condition_is_kept() -> None:
    first, second = fresh("x"), fresh("y")
    some, both = symbol("or", first, second), symbol("and", first, second)
    assert independent(PathCondition().add(some, True).known) == [(some, True)]
    assert independent(PathCondition().add(both, True).known) == [(first, True), (second, True)]
    assert independent(PathCondition().add(some, True).add(first, False).known) == [(first, False), (second, True)]
    assert independent(PathCondition().add(symbol("not", some), True).known) == [(first, False), (second, False)]


def _asked(sign: str, one: object, other: object) -> Symbol:
    return symbol("op", sign, one, other)


def test_what_is_one_constant_is_no_other() -> None:
    mode, other = fresh("mode"), fresh("other")
    path = PathCondition().add(_asked("==", mode, Const("train")), True)
    assert path.get(_asked("==", mode, Const("test"))) is False
    assert path.get(symbol("not", _asked("==", Const("test"), mode))) is True
    assert path.get(_asked("==", other, Const("test"))) is None
    assert path.get(_asked("==", mode, other)) is None


def test_what_is_not_one_constant_may_be_another() -> None:
    mode = fresh("mode")
    path = PathCondition().add(_asked("==", mode, Const("train")), False)
    assert path.get(_asked("==", mode, Const("test"))) is None


@pytest.mark.parametrize(("least", "held"), [(0, True), (1, False), ("1", None)])
def test_a_known_number_is_more_or_less(least: object, held: bool | None) -> None:
    count = fresh("count")
    path = PathCondition().add(_asked("==", count, Const(1)), True)
    assert path.get(_asked("<", Const(least), count)) is held


def test_an_attribute_of_an_object_that_nobody_knows_is_a_constant_too() -> None:
    count = External("options.count")
    path = PathCondition().add(_asked("==", count, Const(1)), True)
    assert path.get(_asked("<", Const(1), count)) is False
    assert path.get(symbol("in", count, Tuple((Const(2), Const(3))))) is False


def test_one_of_a_few_is_none_of_the_others() -> None:
    mode = fresh("mode")
    path = PathCondition().add(symbol("in", mode, Tuple((Const("train"), Const("look")))), True)
    assert path.get(_asked("==", mode, Const("test"))) is False
    assert path.get(_asked("==", mode, Const("look"))) is None
    assert path.get(symbol("in", mode, Tuple((Const("look"), Const("train"), Const("test"))))) is True
    narrower = path.add(_asked("==", mode, Const("look")), True)
    assert narrower.get(_asked("==", mode, Const("train"))) is False
    assert narrower.get(symbol("in", mode, Tuple((Const("look"), fresh("other"))))) is None
