"""A class statement becomes its record."""

from __future__ import annotations

import ast

from ddplint.project.index.reading.expressions import choices, described
from ddplint.project.index.records import ClassRecord


def read_class(node: ast.ClassDef, name: str) -> ClassRecord:
    """The record of a class with the full ``name``."""
    fields: list[tuple[str, str]] = []
    hints: list[tuple[str, str]] = []
    for part in node.body:
        if isinstance(part, ast.Assign):
            names = [one.id for one in part.targets if isinstance(one, ast.Name)]
            fields += [(one, words) for one in names for words in choices(part.value) or [""]]
        elif isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            fields += [(part.target.id, words) for words in choices(part.value) or [""]]
            hints += [(part.target.id, words) for words in [described(part.annotation)] if words]
    bases = [words for one in node.bases if (words := _base(one))]
    bases += [words for one in node.keywords if one.arg == "metaclass" and (words := described(one.value))]
    decorators = [described(one) for one in node.decorator_list]
    return ClassRecord(name, node.lineno, node.end_lineno or node.lineno, bases, decorators, fields, hints)


def _base(node: ast.expr) -> str:
    """``Base``, also of ``Base[T]``."""
    return described(node.value if isinstance(node, ast.Subscript) else node)
