"""Which argument of a call is meant."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.values import Value

Args = list[Value]
Kwargs = dict[str, Value]


def argument(args: Args, kwargs: Kwargs, name: str, position: int | None) -> Value | None:
    """An argument by keyword or position, if it was given."""
    if name and name in kwargs:
        return kwargs[name]
    if position is not None and position < len(args):
        return args[position]
    return None


def argument_node(node: cst.Call, index: int, name: str) -> cst.BaseExpression | None:
    """The expression of an argument, by its position or its name."""
    plain = [arg.value for arg in node.args if arg.keyword is None and arg.star == ""]
    named = (arg.value for arg in node.args if arg.keyword is not None and arg.keyword.value == name)
    return plain[index] if index < len(plain) else next(named, None)
