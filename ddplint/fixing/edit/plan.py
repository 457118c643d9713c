"""Edits sorted by the nodes they name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import libcst as cst

from ddplint.findings.edits import (
    AddImport,
    Edit,
    EditError,
    InsertAfter,
    InsertBefore,
    Remove,
    Replace,
    ReplaceStatements,
)
from ddplint.source.ancestry import Tree


@dataclass
class Plan:
    """Edits sorted by the node they name, and the nodes that must be rebuilt because of them."""

    tree: Tree
    replaced: dict[int, cst.CSTNode] = field(default_factory=dict)
    statements: dict[int, tuple[cst.BaseStatement, ...]] = field(default_factory=dict)
    before: dict[int, list[cst.BaseStatement]] = field(default_factory=dict)
    after: dict[int, list[cst.BaseStatement]] = field(default_factory=dict)
    removed: set[int] = field(default_factory=set)
    dirty: set[int] = field(default_factory=set)

    def add(self, edit: Edit) -> None:
        """Take one edit in."""
        if isinstance(edit, Replace):
            self._once(self.replaced, self._known(edit.node), edit.new_node)
            return
        assert not isinstance(edit, AddImport)
        target = self._listed(edit.statement)
        if isinstance(edit, InsertBefore):
            self.before.setdefault(id(target), []).extend(edit.new_statements)
        elif isinstance(edit, InsertAfter):
            self.after.setdefault(id(target), []).extend(edit.new_statements)
        elif isinstance(edit, Remove):
            self._once(self.statements, target, ())
            self.removed.add(id(target))
        elif isinstance(edit, ReplaceStatements):
            self._once(self.statements, target, edit.new_statements)

    def _once(self, kept: dict[int, Any], node: cst.CSTNode, new: object) -> None:
        taken = id(node) in self.replaced or id(node) in self.statements
        if taken and kept.get(id(node)) is not new:
            raise EditError("two edits want the same place")
        kept[id(node)] = new

    def _known(self, node: cst.CSTNode) -> cst.CSTNode:
        if node not in self.tree:
            raise EditError("an edit names code that is not in this file")
        self.dirty.update(id(step) for step in self.tree.lineage(node))
        return node

    def _listed(self, node: cst.CSTNode) -> cst.CSTNode:
        """The node under which a block lists the statement."""
        self._known(node)
        holder = self.tree.parent(node)
        if isinstance(node, cst.BaseSmallStatement) and isinstance(holder, cst.SimpleStatementLine):
            node = holder if len(holder.body) == 1 else node
        if not isinstance(node, (cst.BaseStatement, cst.BaseSmallStatement)) or self.tree.block(node) is None:
            raise EditError("an edit treats code as a statement of a block that is none")
        return node

    def listed(self, node: cst.CSTNode) -> bool:
        """Whether a statement edit names this very node."""
        return id(node) in self.before or id(node) in self.after or id(node) in self.statements
