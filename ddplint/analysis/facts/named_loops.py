"""Loops that go through the names in a dictionary."""

from __future__ import annotations

import libcst as cst

from ddplint.source.calls import called
from ddplint.source.tree import dotted

_METHODS = ("items", "keys", "values")
_KEPT_IN_ORDER = ("list", "tuple", "enumerate")


def dictionary_of(loop: cst.CSTNode) -> tuple[str, bool]:
    """The dictionary whose names a loop goes through (``""``: none that has a name), and whether it sorts them."""
    step = loop.for_in if isinstance(loop, (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)) else loop
    over = step.iter if isinstance(step, (cst.For, cst.CompFor)) else None
    ordered = False
    while isinstance(over, cst.Call) and over.args and called(over) in (*_KEPT_IN_ORDER, "sorted"):
        ordered = ordered or called(over) == "sorted"
        over = over.args[0].value
    if isinstance(over, cst.Call) and isinstance(over.func, cst.Attribute) and over.func.attr.value in _METHODS:
        return dotted(over.func.value) or "", ordered
    return "", False
