"""Long sums are parsed in groups, and the tree is the one that the parser makes of the text itself."""

from __future__ import annotations

import random

import libcst as cst
import pytest

from ddplint.source.parsing import parse
from ddplint.util.long_sums import may_be_long, parse_grouped
from ddplint.util.stack import on_deep_stack

LEVELS = (["+", "-"], ["*", "/", "//", "%", "@"], ["|"], ["&"])
TERMS = ("a", "-x", "f(a, *b)[1:2]", "'é' 'b'", "a ** -b", "(\n  y # c)\n )", "((a))", "await g()", "(a + b)", "not_")
PLACES = (
    "async def f():\n    return ({0}\n    )\n",
    "async def f():\n    x = {0}\n    if a < {0} in b and {0}:\n        pass\n",
    "async def f():\n    g(*{0}, k=lambda: {0})\n",
    "async def f():\n    for x in {0} | {0}: y += {0}\n",
)


def sum_of(choice: random.Random, length: int) -> str:
    signs = choice.choice(LEVELS)
    spaces = ("", " ", "  ", " \\\n  ")
    return choice.choice(TERMS) + "".join(
        choice.choice(spaces) + choice.choice(signs) + choice.choice(spaces) + choice.choice(TERMS)
        for _ in range(length - 1)
    )


def is_the_same(text: str) -> bool:
    grouped = parse_grouped(text)
    return grouped is not None and grouped.code == text and cst.parse_module(text).deep_equals(grouped)


@pytest.mark.parametrize("seed", range(16))
def test_the_tree_is_the_same(seed: int) -> None:
    choice = random.Random(seed)
    text = choice.choice(PLACES).format(sum_of(choice, choice.randrange(201, 260)))
    assert on_deep_stack(lambda: is_the_same(text))


def test_a_product_in_a_sum_stays_a_term() -> None:
    text = "x = " + " + ".join(f"a{i} * b - (c - {i})" for i in range(300)) + "\n"
    assert on_deep_stack(lambda: is_the_same(text))


@pytest.mark.parametrize(
    "text",
    [
        "x = " + " + ".join(f"a{i}" for i in range(40)) + "\n",
        "".join(f"x{i} = a + b\n" for i in range(300)),
        "x = [" + ", ".join(f"-{i}" for i in range(300)) + "]\n",
        "x = '" + "+" * 300 + "'\n",
        "x = a +" + "+ a" * 300 + " +\n",
    ],
)
def test_what_has_no_long_sum_is_parsed_as_it_is(text: str) -> None:
    assert not may_be_long(text) or parse_grouped(text) is None


def test_errors_are_those_of_the_text() -> None:
    text = "x = " + " + ".join(f"a{i}" for i in range(300)) + " +\n"
    with pytest.raises(ValueError, match="syntax error: invalid syntax"):
        parse(text)
