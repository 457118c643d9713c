"""Questions about numbers: what asks them runs no code of the program, so both sides of ``or`` may be asked at once."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.join import alternatives
from ddplint.analysis.domain.values import Bound, External, Unknown, Value, Varying
from ddplint.analysis.memory.protocol import Interp
from ddplint.source.tree import children

_PREDICATES = frozenset({"abs", "all", "any", "bool", "float", "isfinite", "isinf", "isnan", "item", "max", "mean"})
_MEASURES = (cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual, cst.Equal, cst.NotEqual)


def is_one(w: Interp, node: cst.BaseExpression) -> bool:
    """Whether an expression compares numbers or asks what they are like, and does nothing else.

    What is asked whether it is there at all (``x is not None``) is no number: what follows may need the answer.
    """
    if isinstance(node, cst.UnaryOperation):
        return isinstance(node.operator, cst.Not) and is_one(w, node.expression)
    if isinstance(node, cst.BooleanOperation):
        return is_one(w, node.left) and is_one(w, node.right)
    if isinstance(node, cst.Comparison):
        return all(isinstance(one.operator, _MEASURES) for one in node.comparisons) and _is_plain(w, node)
    return isinstance(node, cst.Call) and _is_plain(w, node)


def _is_plain(w: Interp, node: cst.CSTNode) -> bool:
    """Whether no code of the program is called in it."""
    if isinstance(node, (cst.Await, cst.NamedExpr, cst.Yield, cst.Lambda)):
        return False
    if isinstance(node, cst.Call) and not _is_of_a_library(w, node.func):
        return False
    return all(_is_plain(w, child) for child in children(node))


def _is_of_a_library(w: Interp, function: cst.BaseExpression) -> bool:
    name = function.attr if isinstance(function, cst.Attribute) else function
    if not isinstance(name, cst.Name) or name.value not in _PREDICATES:
        return False
    if isinstance(function, cst.Attribute) and not _is_plain(w, function.value):
        return False
    return all(map(_is_outside, alternatives(w.semantics.evaluate(w, function))))


def _is_outside(value: Value) -> bool:
    return isinstance(value, (External, Unknown, Varying)) or (
        isinstance(value, Bound) and isinstance(value.function, External)
    )


def are_open(w: Interp, value: Value) -> bool:
    """Whether a value is unknown on every path: with or without a wrapper, it is the loss that is asked."""
    return all(
        isinstance(one, Unknown) or (isinstance(one, Varying) and w.truth(one) is None) for one in alternatives(value)
    )
