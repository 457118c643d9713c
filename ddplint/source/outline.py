"""Which lines the functions of a text take, by Python's own parser: LibCST has to write a module out to know that."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping

Lines = tuple[int, int]


def function_lines(text: str) -> Mapping[tuple[str, str], list[Lines]]:
    """The first line (decorators left out) and the last one, from 1, of the functions, by their class and name.

    The class is the innermost one around a function, or empty. Several may have one name, as a property and its setter
    have. Nothing where Python does not read the text.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found: dict[tuple[str, str], list[Lines]] = {}
    stack: list[tuple[ast.AST, str]] = [(tree, "")]
    while stack:
        node, owner = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.setdefault((owner, node.name), []).append((node.lineno, node.end_lineno or node.lineno))
        inner = node.name if isinstance(node, ast.ClassDef) else owner
        stack += [(child, inner) for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr)]
    return found
