"""Why two values may differ: the deepest places are named, and everybody says what does not count."""

from __future__ import annotations

import pytest

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.compare import Difference, Unlike, alike, are_same_but_for, differences, of_one_thing
from ddplint.analysis.domain.symbols import fresh, symbol
from ddplint.analysis.domain.term import Symbol
from ddplint.analysis.domain.values import Const, Container, Either, Object, PerRank, Unknown

BASE, OTHER = fresh("base"), fresh("other")
HERE, THERE = Const(0), Const(1)
SUM, OTHER_SUM = symbol("op", "+", BASE, HERE), symbol("op", "+", BASE, THERE)
LIST, ANOTHER, DICT = Container(1, "list"), Container(2, "list"), Container(3, "dict")
LOSS, OTHER_LOSS = Object("torch.nn.MSELoss", 4, (HERE,)), Object("torch.nn.MSELoss", 5, (THERE,))


@pytest.mark.parametrize(
    ("one", "other", "reasons"),
    [
        (symbol("attr", BASE, "a"), symbol("attr", BASE, "a"), []),
        (symbol("attr", BASE, "a"), symbol("attr", BASE, "b"), [Unlike.FORM]),
        (symbol("attr", BASE, "a"), symbol("item", BASE, "a"), [Unlike.FORM]),
        (symbol("call", "f", HERE), symbol("call", "f", HERE, HERE), [Unlike.FORM]),
        (symbol("op", "+", BASE, HERE), symbol("op", "+", BASE, THERE), [Unlike.CONSTANT]),
        (symbol("item", BASE, HERE), symbol("item", BASE, THERE), [Unlike.INDEX]),
        (
            symbol("item", symbol("op", "+", BASE, HERE), HERE),
            symbol("item", symbol("op", "+", BASE, THERE), HERE),
            [Unlike.CONSTANT],
        ),
        (fresh("loss"), fresh("loss"), [Unlike.FRESH]),
        (fresh("loss"), fresh("size"), [Unlike.FORM]),
        (symbol("call", "f", LIST), symbol("call", "f", ANOTHER), [Unlike.CONTAINER]),
        (symbol("call", "f", LIST), symbol("call", "f", DICT), [Unlike.FORM]),
        (symbol("call", "f", LOSS), symbol("call", "f", OTHER_LOSS), [Unlike.OBJECT, Unlike.CONSTANT]),
        (symbol("op", "+", HERE, BASE), symbol("op", "+", THERE, OTHER), [Unlike.CONSTANT, Unlike.FORM]),
    ],
)
def test_the_deepest_places_are_named(one: Symbol, other: Symbol, reasons: list[Unlike]) -> None:
    assert [found.reason for found in differences(one, other)] == reasons
    assert [found.reason for found in differences(Unknown(other), Unknown(one))] == reasons


def test_places_are_said_once_and_with_both_sides() -> None:
    one, other = (symbol("op", "+", part, part) for part in (BASE, OTHER))
    assert list(differences(one, other)) == [Difference(Unlike.FORM, BASE, OTHER)]


def test_either_is_compared_by_its_parts() -> None:
    one, other = (Either(BASE, Unknown(fresh("loss")), HERE) for _ in range(2))
    assert [found.reason for found in differences(one, other)] == [Unlike.FRESH]


def test_who_asks_may_say_what_two_terms_are() -> None:
    one, other = (symbol("call", "f", symbol("attr", BASE, number)) for number in (HERE, THERE))
    assert not list(differences(one, other, lambda *_: True))
    assert list(differences(one, other, lambda *_: False)) == [Difference(Unlike.FORM, one, other)]
    assert [found.reason for found in differences(one, other, lambda *_: None)] == [Unlike.CONSTANT]


def test_what_is_too_large_is_not_the_same() -> None:
    one, other = fresh("loss"), fresh("loss")
    for number in range(limits.COMPARED_PARTS + 1):
        one, other = symbol("op", "+", one, Const(number)), symbol("op", "+", other, Const(number))
    assert Unlike.DEPTH in {found.reason for found in differences(one, other)}
    assert not are_same_but_for(one, other, Unlike.FRESH)


def test_what_asks_for_ranks_is_never_made_alike() -> None:
    one, other = (symbol("op", "<", symbol("rank", group), BASE) for group in (fresh("group"), fresh("group")))
    assert not alike(one, other)
    assert alike(*(symbol("op", "<", fresh("loss"), BASE) for _ in range(2)))


def test_items_of_one_thing() -> None:
    parts = tuple(Unknown(symbol("item", BASE, Const(rank))) for rank in range(4))
    assert of_one_thing(PerRank(parts)) == parts[0]
    apart = (*parts[:3], Unknown(symbol("item", OTHER, Const(3))))
    assert of_one_thing(PerRank(apart)) == PerRank(apart)
