"""Which lines the functions of a text take, by Python's own parser: LibCST has to write a module out to know that."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping

__all__ = ["function_lines"]

Lines = tuple[int, int]


def function_lines(text: str) -> Mapping[tuple[str, str], Lines]:
    """The first line (decorators left out) and the last one, from 1, of each function, by its class and its name.

    The class is the innermost one around the function, or empty. Names that stand for several functions are left out,
    and all of them where Python does not read the text.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found: dict[tuple[str, str], Lines | None] = {}
    stack: list[tuple[ast.AST, str]] = [(tree, "")]
    while stack:
        node, owner = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            name = owner, node.name
            found[name] = None if name in found else (node.lineno, node.end_lineno or node.lineno)
        inner = node.name if isinstance(node, ast.ClassDef) else owner
        stack += [(child, inner) for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr)]
    return {name: lines for name, lines in found.items() if lines is not None}
