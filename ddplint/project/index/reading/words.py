"""What the functions and classes at the top of a file name, decorators, defaults and bases among it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping


def words_at_top(tree: ast.Module) -> Mapping[str, frozenset[str]]:
    """By name, the names in each function and class; an attribute of a name also as ``name.attribute``."""
    tops = (one for one in tree.body if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)))
    return {one.name: frozenset(_words(one)) for one in tops}


def _words(top: ast.AST) -> Iterator[str]:
    for node in ast.walk(top):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
            if isinstance(node.value, ast.Name):
                yield f"{node.value.id}.{node.attr}"
        elif isinstance(node, (ast.arg, ast.keyword)) and node.arg:
            yield node.arg
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
            yield node.value
