"""Terms are made once, of the class of their kind, and few places still look into a key by numbers."""

from __future__ import annotations

import re
from pathlib import Path

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.symbols import fresh, symbol
from ddplint.analysis.domain.term import Attr, Big, Call, Fresh, Not, Operation

ROOT = Path(__file__).parents[3]
RAW = re.compile(r"\.(?:key|made_of)\[")
LEFT = 0
"""Raw looks into keys outside the modules that make terms: may only become fewer, until none is left."""


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


def test_keys_are_looked_into_less_and_less() -> None:
    folders = ("ddplint", "rules/ddplint_rules")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    read = [path.read_text("utf-8") for path in files if path.parent.name != "kinds" and path.name != "symbols.py"]
    assert sum(len(RAW.findall(text)) for text in read) <= LEFT
