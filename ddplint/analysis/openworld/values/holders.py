"""Variables of unknown making that hold several things: the code around indexes them, or goes over them.

No module of torch can be indexed but the containers of ``torch.nn``, which are known where they are made.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.analysis.memory.protocol import Interp
from ddplint.source.ancestry import descend

_OF_HOLDERS = frozenset({"items", "keys", "values", "append", "extend"})


def is_holder(w: Interp, target: cst.CSTNode | None, node: cst.CSTNode) -> bool:
    """Whether the function around ``node`` takes what ``target`` names apart, as a dict or a list can be."""
    if not isinstance(target, (cst.Name, cst.Attribute)):
        return False
    around = next((step for step in w.frame.module.file.ancestors(node) if isinstance(step, cst.FunctionDef)), None)
    whole = around if around is not None else w.frame.module.file.module
    return any(held is not None and held.deep_equals(target) for held in _taken_apart(whole))


def _taken_apart(whole: cst.CSTNode) -> Iterator[cst.BaseExpression | None]:
    """The expressions that are indexed, gone over, or asked for what they hold."""
    for node in descend(whole):
        kind = type(node)
        if kind is cst.Subscript:
            yield node.value  # type: ignore[attr-defined]
        elif kind is cst.For or kind is cst.CompFor:
            yield node.iter  # type: ignore[attr-defined]
        elif kind is cst.Call and type(func := node.func) is cst.Attribute:  # type: ignore[attr-defined]
            yield func.value if func.attr.value in _OF_HOLDERS else None
