"""Expressions whose shape depends on the data in them."""

from __future__ import annotations

import libcst as cst

from ddplint.fixing.builders import Site
from ddplint.fixing.tree import descend
from ddplint.rule import Event

__all__ = ["data_dependent"]


def data_dependent(event: Event, position: int) -> cst.BaseExpression | None:
    """The expression that gives an argument a shape of its own on each rank; ``None`` where there is none for sure."""
    site = Site(event.file, event.node)
    if not isinstance(event.node, cst.Call) or _pads(site):
        return None
    plain = [arg.value for arg in event.node.args if arg.keyword is None and not arg.star]
    named = [arg.value for arg in event.node.args if arg.keyword is not None and arg.keyword.value == "tensor"]
    given = plain[position] if position < len(plain) else next(iter(named), None)
    if given is None:
        return None
    made = _only_value(site, given)
    return made if _selects(site, made) else None


def _only_value(site: Site, node: cst.BaseExpression) -> cst.BaseExpression:
    """What a name stands for, if it is assigned once; through calls that keep the shape."""
    for _ in range(4):
        values = site.values_of(node) if isinstance(node, cst.Name) else []
        if len(values) == 1:
            node = values[0]
        elif isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in _KEEP:
            node = node.func.value
        else:
            break
    return node


_KEEP = frozenset({"clone", "contiguous", "cpu", "cuda", "detach", "float", "long", "to"})


def _selects(site: Site, node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.Call):
        last = node.func.attr.value if isinstance(node.func, cst.Attribute) else ""
        return last in site.knowledge.quiet("selecting")
    if isinstance(node, cst.Subscript) and len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Index):
        return _is_mask(site, _only_value(site, node.slice[0].slice.value))
    return False


def _is_mask(site: Site, node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.Comparison):
        plain = (cst.In, cst.NotIn, cst.Is, cst.IsNot)
        return not any(isinstance(part.operator, plain) for part in node.comparisons)
    if isinstance(node, cst.UnaryOperation):
        return isinstance(node.operator, cst.BitInvert)
    if isinstance(node, cst.BinaryOperation):
        joined = isinstance(node.operator, (cst.BitAnd, cst.BitOr))
        return joined and _is_mask(site, node.left) and _is_mask(site, node.right)
    if isinstance(node, cst.Call):
        return isinstance(node.func, cst.Attribute) and node.func.attr.value in site.knowledge.quiet("masking")
    return False


def _pads(site: Site) -> bool:
    """Whether the function around the call pads something."""
    inside = site.function or site.module
    text = (node.value for node in descend(inside) if isinstance(node, cst.Name))
    return any("pad" in name.lower() for name in text)
