"""Terms are made once, of the class of their kind, and nobody but their makers looks into a key."""

from __future__ import annotations

import re
from pathlib import Path

from ddplint.analysis.domain import limits, terms
from ddplint.analysis.domain.symbols import fresh, symbol
from ddplint.analysis.domain.term import Attr, Big, Call, Fresh, Not, Operation, Text, terms_in
from ddplint.analysis.domain.values import Const, PerRank, Unknown

ROOT = Path(__file__).parents[3]
RAW = re.compile(r"\.(?:made_of|structure)\b|\.(?:parts|content)\[")
"""Looks into how the parts of a term lie in its key."""

MAKERS = ("kinds", "symbols.py")
"""Who makes terms looks into keys; everybody else asks by name."""


def test_same_parts_give_the_same_term() -> None:
    base = fresh("base")
    found = symbol("attr", base, "name")
    assert isinstance(found, Attr)
    assert found is symbol("attr", base, "name")
    assert (found.base, found.name) == (base, "name")
    assert isinstance(base, Fresh)
    assert base.what == "base"


def test_parts_have_names() -> None:
    number = fresh("index")
    sum_ = symbol("op", "+", number, 1)
    assert isinstance(sum_, Operation)
    assert (sum_.sign, sum_.operands, sum_.symbols) == ("+", (number, 1), [number])
    negated = symbol("not", sum_)
    assert isinstance(negated, Not)
    assert negated.inner is sum_


def test_large_terms_say_what_they_were() -> None:
    given = [fresh("given") for _ in range(limits.TERM_SIZE + 1)]
    found = symbol("call", "work", *given)
    assert isinstance(found, Big)
    assert isinstance(found.whole, Call)
    assert found.whole.args == tuple(given)
    assert found.whole is found.whole
    assert found is symbol("call", "work", *given)


def test_all_terms_within_one_are_named_once() -> None:
    base, given = fresh("base"), [fresh("given") for _ in range(limits.TERM_SIZE + 1)]
    large = symbol("call", "work", *given)
    found = symbol("op", "+", symbol("op", "*", base, base), large)
    assert set(found.within(500)) == {found, symbol("op", "*", base, base), base, large, *given}
    assert len(list(found.within(500))) == len(set(found.within(500)))
    assert len(list(found.within(2))) == 2


def test_nobody_else_looks_into_keys() -> None:
    folders = ("ddplint/analysis", "ddplint/rule", "ddplint/engine", "rules/ddplint_rules")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    asking = [path for path in files if path.parent.name not in MAKERS and path.name not in MAKERS]
    found = [f"{path.relative_to(ROOT)}: {match}" for path in asking for match in RAW.findall(path.read_text("utf-8"))]
    assert found == []


def test_what_is_worked_out_from_agreement_alone_is_agreed() -> None:
    agreed, own = symbol("agreed", "broadcast"), fresh("own")
    both = symbol("op", "+", agreed, own)
    assert symbol("op", "*", agreed, agreed).is_agreed(6)
    assert (both.is_agreed(6), both.holds_agreed, own.holds_agreed) == (False, True, False)


def test_terms_are_found_in_values_and_for_each_rank() -> None:
    inner, given = fresh("element"), [fresh("given") for _ in range(limits.TERM_SIZE + 1)]
    named = PerRank((Unknown(inner), Unknown(symbol("call", "work", *given))))
    found = list(terms_in(symbol("text", "a/", named)))
    assert {inner, *given} <= set(found)
    assert len(found) == len(set(found))


def test_terms_have_no_attributes_of_their_own() -> None:
    assert not any(hasattr(one, "__dict__") for one in (fresh("own"), symbol("call", "work"), symbol("joined", 1, 2)))


def test_the_pieces_of_a_text_that_is_too_large_to_be_looked_into() -> None:
    what = fresh("x")
    for _ in range(limits.TERM_SIZE - 4):
        what = symbol("op", "+", what, Const(1))
    text = terms.text_of(Unknown(symbol("op", "*", fresh("y"), what)), Const("_steps="), Unknown(what))
    assert isinstance(text, Unknown)
    assert not isinstance(text.symbol, Text)
    assert not terms.may_read(terms.known_pieces(text), "best")
    assert terms.may_read(terms.known_pieces(text), "3_steps=10")


def test_a_sum_of_numbers_is_no_text_of_both() -> None:
    turn = Unknown(symbol("op", "+", fresh("turn"), Const(1)))
    assert terms.may_read(terms.known_pieces(terms.text_of(Const("step"), turn)), "step7")
    assert not terms.may_read(terms.known_pieces(terms.text_of(Const("step"), turn)), "epoch1")
    suffix = Unknown(symbol("op", "+", fresh("name"), Const("_best")))
    assert not terms.may_read(terms.known_pieces(suffix), "last")
