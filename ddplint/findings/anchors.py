"""What stays the same about a finding when lines move."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from ddplint.source.ancestry import tree_of

if TYPE_CHECKING:
    from ddplint.findings.model import Finding
    from ddplint.source.file import SourceFile


Anchor = tuple[str, str, str, str]


def anchor(finding: Finding) -> Anchor:
    """What stays the same about a finding when lines move: code, file, enclosing definitions, the code it points at."""
    file, node = finding.place.file, finding.place.node
    tree = tree_of(file.module)
    if node not in tree:
        return finding.code, file.path, "", ""
    scopes = [scope.name.value for scope in tree.scopes(node) if isinstance(scope, (cst.FunctionDef, cst.ClassDef))]
    return finding.code, file.path, ".".join(reversed(scopes)), _head(file, node)


def _head(file: SourceFile, node: cst.CSTNode) -> str:
    """The text of an expression; of a statement with a block only its head."""
    if isinstance(node, cst.Module):
        return ""
    if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
        return f"{type(node).__name__} {node.name.value}"
    if isinstance(node, (cst.If, cst.While)):
        return f"{type(node).__name__} {_text(file, node.test)}"
    if isinstance(node, cst.For):
        return f"For {_text(file, node.target)} in {_text(file, node.iter)}"
    if isinstance(node, cst.With):
        return f"With {', '.join(_text(file, item.item) for item in node.items)}"
    if isinstance(node, cst.BaseCompoundStatement):
        return type(node).__name__
    if isinstance(node, cst.SimpleStatementLine):
        node = node.with_changes(leading_lines=[], trailing_whitespace=cst.TrailingWhitespace())
    return _text(file, node)


def _text(file: SourceFile, node: cst.CSTNode) -> str:
    return " ".join(file.module.code_for_node(node).split())
