"""Expressions whose shape depends on the data in them."""

from __future__ import annotations

import libcst as cst

from ddplint.fixing.recipes.builders import Site
from ddplint.rule import Event
from ddplint.source.tree import children

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
    several = [one.value for one in given.elements] if isinstance(given, (cst.Tuple, cst.List)) else [given]
    made = (_only_value(site, one) for one in several)
    return next((one for one in made if _selects(site, one)), None)


def _only_value(site: Site, node: cst.BaseExpression) -> cst.BaseExpression:
    """What a name stands for, if it is assigned once; through calls that keep the shape."""
    for _ in range(4):
        values = site.values_of(node) if isinstance(node, cst.Name) else []
        if len(values) == 1:
            node = values[0]
        elif isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in _KEEP:
            node = node.func.value
        elif isinstance(node, cst.Subscript) and all(_is_tail(part.slice) for part in node.slice):
            node = node.value
        else:
            break
    return node


def _is_tail(index: cst.BaseSlice) -> bool:
    """Whether a slice goes to the end, which is elsewhere for each length."""
    return isinstance(index, cst.Slice) and index.upper is None


_KEEP = frozenset({"clone", "contiguous", "cpu", "cuda", "detach", "float", "long", "to"})


def _selects(site: Site, node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.Call):
        last = node.func.attr.value if isinstance(node.func, cst.Attribute) else ""
        return last in site.knowledge.quiet("selecting") or (last == "generate" and _stops_by_itself(site, node))
    if isinstance(node, cst.Subscript) and len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Index):
        return _is_mask(site, _only_value(site, node.slice[0].slice.value))
    return False


def _stops_by_itself(site: Site, call: cst.Call) -> bool:
    """Whether a call of ``generate`` makes texts that are as long as the model makes them."""
    named = {arg.keyword.value if arg.keyword is not None else arg.star for arg in call.args}
    return bool(named & {"**", *site.knowledge.quiet("of_texts")}) and not named & {"min_length", "min_new_tokens"}


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
    """Whether the function around the call pads something; an option of ``generate`` only says with what it would."""
    stack: list[cst.CSTNode] = [site.function or site.module]
    while stack:
        node = stack.pop()
        if isinstance(node, cst.Name) and "pad" in node.value.lower():
            return True
        if not isinstance(node, cst.Arg) or node.keyword is None or node.keyword.value != "pad_token_id":
            stack += children(node)
    return False
