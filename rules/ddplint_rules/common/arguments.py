"""The code that a call gives for an argument."""

from __future__ import annotations

import re

import libcst as cst

from ddplint.rule import Event
from ddplint.source.tree import dotted

__all__ = ["given", "words_of"]


def given(event: Event, keyword: str, position: int | None) -> cst.BaseExpression | None:
    """The expression for an argument by keyword or position; ``None`` where the call does not give it by itself."""
    call = event.node
    if not isinstance(call, cst.Call):
        return None
    for argument in call.args:
        if argument.keyword is not None and argument.keyword.value == keyword:
            return argument.value
    plain = [argument.value for argument in call.args if argument.keyword is None]
    starred = any(argument.star for argument in call.args)
    return plain[position] if position is not None and position < len(plain) and not starred else None


def words_of(node: cst.BaseExpression) -> set[str]:
    """The words in the last name of an expression: ``get_dp_group()`` gives ``get``, ``dp`` and ``group``."""
    name = dotted(node.func if isinstance(node, cst.Call) else node).rpartition(".")[2]
    return set(re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()))
