"""The imports at the top of a module."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ddplint.findings.edits import AddImport
from ddplint.source.ancestry import Tree
from ddplint.source.tree import dotted


def head_of(tree: Tree, used_at: cst.CSTNode | None) -> list[cst.BaseStatement]:
    """The statements at the top of the module where imports live."""
    head: list[cst.BaseStatement] = []
    for statement in tree.module.body:
        assert isinstance(statement, cst.BaseStatement)
        if used_at is not None and used_at in tree and tree.contains(statement, used_at) and not imports_in(statement):
            break
        if not isinstance(statement, (cst.SimpleStatementLine, cst.If, cst.Try)):
            break
        head.append(statement)
    return head


def imports_in(statement: cst.CSTNode) -> list[cst.Import | cst.ImportFrom]:
    """The imports on a line, or in the body of a ``try``."""
    if isinstance(statement, cst.SimpleStatementLine):
        return [small for small in statement.body if isinstance(small, (cst.Import, cst.ImportFrom))]
    if isinstance(statement, cst.Try):
        return [found for inner in getattr(statement.body, "body", ()) for found in imports_in(inner)]
    return []


def from_imports(head: Sequence[cst.BaseStatement], module: str) -> list[cst.ImportFrom]:
    lines = [found for line in head if isinstance(line, cst.SimpleStatementLine) for found in imports_in(line)]
    return [
        found
        for found in lines
        if isinstance(found, cst.ImportFrom)
        and not isinstance(found.names, cst.ImportStar)
        and module_of(found) == module
    ]


def module_of(found: cst.Import | cst.ImportFrom) -> str:
    if isinstance(found, cst.ImportFrom):
        return "." * len(found.relative) + (dotted(found.module) if found.module else "")
    return dotted(found.names[0].name)


def is_present(head: Sequence[cst.BaseStatement], add: AddImport) -> bool:
    for found in (found for line in head if isinstance(line, cst.SimpleStatementLine) for found in imports_in(line)):
        if isinstance(found.names, cst.ImportStar):
            continue
        for alias in found.names:
            name = dotted(alias.name)
            whole = ("", name) if isinstance(found, cst.Import) else (module_of(found), name)
            asname = dotted(alias.asname.name) if alias.asname is not None else ""
            if (whole, asname) == ((add.module, add.name) if add.name else ("", add.module), add.alias):
                return True
    return False
