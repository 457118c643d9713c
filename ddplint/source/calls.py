"""How a call is written: its arguments, and the last name of what it calls."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.source.ancestry import nodes_of
from ddplint.source.tree import dotted


def calls_in(node: cst.CSTNode, *, into_functions: bool = True) -> Iterator[cst.Call]:
    """The calls in some code, outer first; without those in functions and classes below it where so wanted."""
    return nodes_of(node, cst.Call, into_functions=into_functions)


def called(node: cst.CSTNode | None) -> str:
    """The dotted name that a call calls (``a.b.c``); empty for other calls, and for what is none."""
    return dotted(node.func) if isinstance(node, cst.Call) else ""


def last_part(node: cst.CSTNode | None) -> str:
    """``save`` for ``save``, ``torch.save`` and ``made().save``; empty for what has no name."""
    name = node.attr if isinstance(node, cst.Attribute) else node
    return name.value if isinstance(name, cst.Name) else ""


def names_called(code: cst.CSTNode) -> Iterator[str]:
    """The last name of what each call in some code calls; empty for a call of what has no name."""
    return (last_part(call.func) for call in calls_in(code))


def plain_arguments(call: cst.Call) -> list[cst.BaseExpression]:
    """The arguments without a keyword that are written out (``*args`` is not)."""
    return [arg.value for arg in call.args if arg.keyword is None and not arg.star]


def starred(call: cst.Call) -> bool:
    """Whether some arguments are not written out (``*args``, ``**options``)."""
    return any(arg.star for arg in call.args)


def argument(call: cst.Call, keyword: str, position: int | None) -> cst.BaseExpression | None:
    """The argument of a call by keyword or position, as it is written."""
    for arg in call.args:
        if arg.keyword is not None and arg.keyword.value == keyword:
            return arg.value
    plain = plain_arguments(call)
    return plain[position] if position is not None and position < len(plain) else None
