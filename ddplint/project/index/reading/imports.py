"""The import statements of a file, wherever they stand."""

from __future__ import annotations

import ast
from typing import Any

from ddplint.project.index.records import Import

_ARMS = ("body", "orelse", "handlers", "finalbody", "cases")


def imported(tree: ast.Module) -> list[Import]:
    """What the imports of a file bind, in order. Only statements are looked through: imports stand nowhere else."""
    found: list[Import] = []
    stack: list[tuple[Any, bool, bool]] = [(one, False, False) for one in reversed(tree.body)]
    while stack:
        node, *where = stack.pop()
        if isinstance(node, ast.Import):
            for one in node.names:
                head = one.name.partition(".")[0]
                found.append(Import(one.asname or head, one.name if one.asname else head, "", node.lineno, *where))
                if not one.asname and head != one.name:
                    found.append(Import("", one.name, "", node.lineno, *where))
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            found += [Import(one.asname or one.name, module, one.name, node.lineno, *where) for one in node.names]
        else:
            under = where[0] or isinstance(node, ast.Try) or _is_for_types(node)
            below = (one for arm in _ARMS for one in reversed(getattr(node, arm, None) or ()))
            stack += [(one, under, True) for one in below if isinstance(one, ast.AST)]
    return found


def _is_for_types(node: ast.AST) -> bool:
    test = node.test if isinstance(node, ast.If) else None
    name = test.attr if isinstance(test, ast.Attribute) else test.id if isinstance(test, ast.Name) else ""
    return name == "TYPE_CHECKING"
