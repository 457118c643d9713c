"""How a call is written."""

from __future__ import annotations

import libcst as cst
import pytest

from ddplint.source.calls import argument, calls_in, last_part, plain_arguments, starred
from ddplint.source.tree import code_of


def call(text: str) -> cst.Call:
    node = cst.parse_expression(text)
    assert isinstance(node, cst.Call)
    return node


@pytest.mark.parametrize(
    ("text", "name"), [("save()", "save"), ("torch.save()", "save"), ("make().save()", "save"), ("rules[0]()", "")]
)
def test_the_last_name_of_what_is_called(text: str, name: str) -> None:
    assert last_part(call(text).func) == name


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("f(1, 2)", "2"),
        ("f(1, dst=3)", "3"),
        ("f(1)", None),
        ("f(*all, 1)", None),
        ("f(**more)", None),
        ("f(other=1)", None),
    ],
)
def test_an_argument_as_it_is_written(text: str, given: str | None) -> None:
    found = argument(call(text), "dst", 1)
    assert (code_of(found) if found is not None else None) == given


def test_what_is_not_written_out() -> None:
    assert starred(call("f(*a)"))
    assert starred(call("f(**a)"))
    assert not starred(call("f(a, b=c)"))
    assert [code_of(one) for one in plain_arguments(call("f(a, *b, c, d=e)"))] == ["a", "c"]


def test_calls_outer_first_and_without_functions() -> None:
    code = cst.parse_module("f(g())\ndef own():\n    h()\n")
    assert [last_part(one.func) for one in calls_in(code)] == ["f", "g", "h"]
    assert [last_part(one.func) for one in calls_in(code, into_functions=False)] == ["f", "g"]
