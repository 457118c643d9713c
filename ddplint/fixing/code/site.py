"""A place in a file where a rewrite is planned, with what is known about the names around it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TypeVar

import libcst as cst

from ddplint.findings.edits import Edit
from ddplint.fixing.code import naming
from ddplint.fixing.code.scopes import Scopes, own_nodes, scopes_of
from ddplint.knowledge import Api, Knowledge, load_knowledge
from ddplint.source.ancestry import Statement, Tree, tree_of
from ddplint.source.file import SourceFile
from ddplint.source.tree import dotted

Answer = TypeVar("Answer")


@cache
def _installed() -> Knowledge:
    return load_knowledge()


class CannotBuild(Exception):
    """There is no rewrite; the text says in one sentence why, fit for ``Finding.no_fix``."""


class NeededByAll(CannotBuild):
    """What is to be guarded also makes something that every rank needs."""


@dataclass(frozen=True, eq=False)
class Built:
    """An expression for some place of a file, and the edits that make it valid there (imports)."""

    expression: cst.BaseExpression
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, eq=False)
class Code:
    """Statements for some place of a file, and the edits that make them valid there (imports)."""

    statements: tuple[cst.BaseStatement, ...]
    edits: tuple[Edit, ...] = ()


@dataclass(eq=False)
class Site:
    """The node ``node`` of ``file``, where code is to be inserted or rewritten.

    ``knowledge`` is the engine's, so that names of the user's own count too; without it the installed tables do.
    """

    file: SourceFile
    node: cst.CSTNode
    knowledge: Knowledge = field(default_factory=_installed, repr=False)

    @property
    def module(self) -> cst.Module:
        """The module that holds the node."""
        return self.file.module

    @cached_property
    def tree(self) -> Tree:
        """Parents and order of the module's nodes."""
        return tree_of(self.file.module)

    @cached_property
    def scopes(self) -> Scopes:
        """The module's bindings."""
        return scopes_of(self.file.module)

    @cached_property
    def statement(self) -> Statement:
        """The innermost statement that holds the node."""
        return self.tree.statement(self.node)

    @cached_property
    def function(self) -> cst.FunctionDef | None:
        """The innermost function whose body holds the node."""
        return self.tree.function(self.node)

    @cached_property
    def owner(self) -> cst.ClassDef | None:
        """The class whose method holds the node."""
        return class_of(self.tree, self.node)

    def moved(self, node: cst.CSTNode) -> Site:
        """The same file seen from another node."""
        return Site(self.file, node, self.knowledge)

    def name(self, qualified: str) -> Built:
        """How the file says ``qualified`` here; see :func:`ddplint.fixing.code.naming.name_for`."""
        named = naming.name_for(self.file, qualified, self.node)
        return Built(named.expression, named.edits)

    def unused(self, wish: str) -> str:
        """``wish``, or with a number behind it, as a name that stands for nothing here yet."""
        name, count = wish, 1
        while self.scopes.lookup(name, self.node) is not None:
            count += 1
            name = f"{wish}_{count}"
        return name

    def qualified(self, node: cst.CSTNode) -> str:
        """The full dotted name behind an expression, also through objects of known classes; ``""`` if unknown.

        ``accelerator.is_main_process`` gives ``accelerate.Accelerator.is_main_process``.
        """
        direct = self._direct(node)
        if direct:
            return direct
        if isinstance(node, cst.Attribute):
            kind = self.type_of(node.value)
            return f"{kind}.{node.attr.value}" if kind else ""
        return ""

    def _direct(self, node: cst.CSTNode) -> str:
        return naming.qualified_name(self.file, node, self.here(node))

    def here(self, node: cst.CSTNode) -> cst.CSTNode:
        """The place from which to read the names in ``node``: itself, or the site where it is new code."""
        return node if node in self.tree else self.node

    def known(self, node: cst.CSTNode) -> Api | None:
        """The knowledge row of the function, class or property that an expression names."""
        name = self.qualified(node)
        return self.knowledge.lookup(name) if name else None

    def type_of(self, node: cst.BaseExpression) -> str:
        """The known class that every value of ``node`` is made from, or its annotation names; ``""`` if unclear."""
        if not isinstance(node, (cst.Name, cst.Attribute)):
            return ""
        return self.once("type", node, lambda: self._type_of(node), "")

    def _type_of(self, node: cst.BaseExpression) -> str:
        kinds = {self._made_from(value) for value in self.values_of(node)}
        return kinds.pop() if len(kinds) == 1 else ""

    def _made_from(self, value: cst.BaseExpression) -> str:
        if isinstance(value, (cst.Call, cst.Annotation)):
            name = self._direct(value.func if isinstance(value, cst.Call) else value.annotation)
            return self.knowledge.class_name(name) if name and self.knowledge.is_class(name) else ""
        return self.type_of(value)

    def values_of(self, node: cst.CSTNode) -> list[cst.BaseExpression]:
        """All that is ever assigned to a name or dotted attribute; empty where that is not known completely.

        A parameter counts with its annotation (a :class:`libcst.Annotation`).
        """
        if isinstance(node, cst.Name):
            found = self.scopes.lookup(node.value, self.here(node))
            return _values([binding.value or _annotation(binding.node) for binding in found[1]]) if found else []
        name = dotted(node)
        return _values(list(self._assigned(node, name))) if name else []

    def _assigned(self, node: cst.CSTNode, name: str) -> Iterator[cst.BaseExpression | None]:
        """What is assigned to the attribute ``name``; attributes of ``self`` only inside their class."""
        owner = class_of(self.tree, self.here(node)) if name.startswith("self.") else None
        for target, value in self.scopes.attributes.get(name, ()):
            if owner is None or self.tree.contains(owner, target):
                yield value

    def once(self, question: str, node: cst.CSTNode, answer: Callable[[], Answer], meanwhile: Answer) -> Answer:
        """``answer()`` for a name or dotted attribute, worked out once per module and knowledge.

        While it is being worked out (``x = x or y``) the same question gets ``meanwhile``. A name that nothing in the
        module sets is one name in all of it.
        """
        name = dotted(node)
        if not name:
            return answer()
        found = self.scopes.lookup(name.partition(".")[0], self.here(node))
        owner = class_of(self.tree, self.here(node)) if name.startswith("self.") else None
        key = (question, name, id(owner or (found[0] if found else None)), id(self.knowledge))
        if key not in self.scopes.answers:
            self.scopes.answers[key] = self.knowledge, meanwhile
            self.scopes.answers[key] = self.knowledge, answer()
        return self.scopes.answers[key][1]  # type: ignore[index, no-any-return]

    def local_function(self, node: cst.BaseExpression) -> cst.FunctionDef | None:
        """The function of this file that ``node`` names: ``helper`` at module level or ``self.method``."""
        if isinstance(node, cst.Name):
            found = self.scopes.lookup(node.value, self.here(node))
            only = found[1][0].node if found and len(found[1]) == 1 else None
            return only if isinstance(only, cst.FunctionDef) else None
        if isinstance(node, cst.Attribute) and dotted(node.value) == "self":
            owner = class_of(self.tree, self.here(node))
            return method_of(owner, node.attr.value) if owner is not None else None
        return None


def _values(values: list[cst.BaseExpression | None]) -> list[cst.BaseExpression]:
    return [] if any(value is None for value in values) else [value for value in values if value is not None]


def _annotation(node: cst.CSTNode) -> cst.BaseExpression | None:
    return node.annotation if isinstance(node, cst.Param) else None  # type: ignore[return-value]


def class_of(tree: Tree, node: cst.CSTNode) -> cst.ClassDef | None:
    """The innermost class around ``node``."""
    return next((step for step in tree.lineage(node) if isinstance(step, cst.ClassDef)), None)


def method_of(owner: cst.ClassDef, name: str) -> cst.FunctionDef | None:
    """The method of that name in the body of a class."""
    for node in own_nodes(owner):
        if isinstance(node, cst.FunctionDef) and node.name.value == name:
            return node
    return None
