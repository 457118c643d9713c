"""Questions about a function's syntax, answered once per node."""

from __future__ import annotations

import libcst as cst

_generators: dict[int, tuple[cst.CSTNode, bool]] = {}


def is_generator(node: cst.FunctionDef | cst.Lambda) -> bool:
    """Whether a function's own body yields."""
    found = _generators.get(id(node))
    if found is None or found[0] is not node:
        found = (node, isinstance(node, cst.FunctionDef) and _yields(node.body))
        _generators[id(node)] = found
    return found[1]


def _yields(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.Yield):
        return True
    if isinstance(node, (cst.FunctionDef, cst.Lambda, cst.ClassDef, cst.Name)):
        return False
    return any(
        _yields(child)
        for child in node.children
        if not isinstance(child, (cst.BaseParenthesizableWhitespace, cst.TrailingWhitespace, cst.EmptyLine))
    )


def reset() -> None:
    """Forget the answers (nodes of other files)."""
    _generators.clear()
