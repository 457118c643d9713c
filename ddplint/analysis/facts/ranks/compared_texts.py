"""Variables of a launcher that are compared with numbers as they stand in the environment: as texts."""

from __future__ import annotations

import libcst as cst

from ddplint.fixing.code.shape import key_of, text_of
from ddplint.fixing.code.site import Site

_EQUAL = (cst.Equal, cst.NotEqual)
_AMONG = (cst.In, cst.NotIn)


def compared_as_text(site: Site, node: cst.Comparison) -> str:
    """The variable with which a launcher tells a process its rank, where its text is compared with a number."""
    if len(node.comparisons) != 1:
        return ""
    operator, right = node.comparisons[0].operator, node.comparisons[0].comparator
    if isinstance(operator, _EQUAL):
        left = node.left if _is_number(right) else right if _is_number(node.left) else None
    else:
        left = node.left if isinstance(operator, _AMONG) and _are_numbers(right) else None
    return _variable(site, left) if left is not None else ""


def _variable(site: Site, node: cst.BaseExpression) -> str:
    """The variable of a rank whose text a name or an expression is, whatever else is known of it."""
    if isinstance(node, (cst.Name, cst.Attribute)):
        found = {_read(site, value) for value in site.values_of(node)}
        return found.pop() if len(found) == 1 else ""
    return _read(site, node)


def _read(site: Site, node: cst.BaseExpression) -> str:
    key: cst.BaseExpression | None = None
    if isinstance(node, cst.Subscript) and site.qualified(node.value) == "os.environ":
        key = key_of(node)
    elif isinstance(node, cst.Call) and site.qualified(node.func) in ("os.getenv", "os.environ.get") and node.args:
        key = node.args[0].value
    name = text_of(key) if key is not None else ""
    row = site.knowledge.env(name) if name else None
    return name if row is not None and row.rank else ""


def _is_number(node: cst.BaseExpression) -> bool:
    inner = node.expression if isinstance(node, cst.UnaryOperation) else node
    return isinstance(inner, cst.Integer)


def _are_numbers(node: cst.BaseExpression) -> bool:
    parts = node.elements if isinstance(node, (cst.List, cst.Set, cst.Tuple)) else ()
    return bool(parts) and all(_is_number(one.value) for one in parts)
