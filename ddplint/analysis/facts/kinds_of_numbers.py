"""Tensors made of a whole number on some ranks and of a fraction on others, which torch keeps in other types."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain import term as terms
from ddplint.analysis.domain.values import Const, PerRank, Unknown, Value, Varying
from ddplint.analysis.trace.events import Event
from ddplint.fixing.code.site import Site
from ddplint.source.calls import last_part

_MAKES = "tensor"
_FLOATS = ("builtins.float", "float")


def unequal_kinds(event: Event) -> dict[int, str]:
    """What two ranks make the tensor of that they meet with, where its type follows from it; empty otherwise."""
    given, written = (event.args or (None,))[0], event.given("tensor", 0)
    if not isinstance(given, PerRank) or not event.by_all or not isinstance(written, cst.Name):
        return {}
    kinds = {rank: _kind(value) for rank, value in enumerate(given.values)}
    first = {kind: rank for rank, kind in reversed(kinds.items()) if kind}
    if len(first) != 2 or not _follows(event, written):
        return {}
    return {rank: kind for kind, rank in first.items()}


def _kind(value: Value) -> str:
    """What a number is by Python's own types, where that is known."""
    if isinstance(value, Const):
        return {int: "a whole number", float: "a fraction"}.get(type(value.value), "")
    if isinstance(value, (Unknown, Varying)):
        what = value.symbol.whole
        is_ratio = isinstance(what, terms.Operation) and what.sign == "/"
        return "a fraction" if is_ratio or (isinstance(what, terms.Call) and what.name in _FLOATS) else ""
    return ""


def _follows(event: Event, written: cst.Name) -> bool:
    """Whether the last that the name was given, above the call in its block, is ``torch.tensor`` without a type."""
    site = Site(event.file, event.node)
    block = list(getattr(site.tree.block(site.statement), "body", ()))
    above = block[: block.index(site.statement)] if site.statement in block else []
    for statement in reversed(above):
        bound = [one for one in _assigned(statement) if one.targets[0].target.deep_equals(cst.Name(written.value))]
        if bound:
            return len(bound) == 1 and _takes_its_type(bound[0].value)
        if not isinstance(statement, cst.SimpleStatementLine):
            return False
    return False


def _assigned(statement: cst.CSTNode) -> list[cst.Assign]:
    line = statement.body if isinstance(statement, cst.SimpleStatementLine) else ()
    return [one for one in line if isinstance(one, cst.Assign) and len(one.targets) == 1]


def _takes_its_type(value: cst.BaseExpression) -> bool:
    """Whether a call makes a tensor whose type is that of what it is made of."""
    if not isinstance(value, cst.Call) or last_part(value.func) != _MAKES:
        return False
    return not any(arg.star or (arg.keyword is not None and arg.keyword.value == "dtype") for arg in value.args)
