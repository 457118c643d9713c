"""Parents, order and containment of the nodes of one module; whitespace nodes are left out."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise, takewhile
from typing import TypeVar

import libcst as cst

from ddplint.source.tree import Kinds, children, is_node

Statement = cst.BaseStatement | cst.BaseSmallStatement
Node = TypeVar("Node", bound=cst.CSTNode)

_WHITESPACE = (
    cst.BaseParenthesizableWhitespace,
    cst.TrailingWhitespace,
    cst.EmptyLine,
    cst.Newline,
    cst.Comment,
)


_IS_LAYOUT = Kinds(*_WHITESPACE)
_IS_COMPOUND = Kinds(cst.BaseCompoundStatement)
_IS_SMALL = Kinds(cst.BaseSmallStatement)
_SCOPES = frozenset({cst.FunctionDef, cst.Lambda, cst.ClassDef})


def _is_code(item: object) -> bool:
    return is_node[type(item)] and not _IS_LAYOUT[type(item)]


def is_whitespace(node: cst.CSTNode) -> bool:
    """Whether a node is layout only: blanks, comments, line ends."""
    return not _is_code(node)


def descend(node: cst.CSTNode, *, into_functions: bool = True) -> Iterator[cst.CSTNode]:
    """``node`` and everything below it, outer first, without recursion.

    With ``into_functions=False`` the bodies of functions, lambdas and classes below ``node`` are left out.
    """
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        if not into_functions and type(current) in _SCOPES and current is not node:
            continue
        stack += reversed(children(current))


def nodes_of(code: cst.CSTNode, *kinds: type[Node], into_functions: bool = True) -> Iterator[Node]:
    """The nodes of some kinds in some code, in the order of the text; see :func:`descend`."""
    wanted = _kinds(kinds)
    return (step for step in descend(code, into_functions=into_functions) if wanted[type(step)])  # type: ignore[misc]


_kinds = cache(lambda kinds: Kinds(*kinds))


def up_to_function(ancestors: Iterable[cst.CSTNode]) -> Iterator[cst.CSTNode]:
    """Those of a node's ancestors that belong to the same function, or to the same class outside of functions."""
    return takewhile(lambda step: type(step) not in _FUNCTIONS, ancestors)


_FUNCTIONS = frozenset({cst.FunctionDef, cst.ClassDef})


class Tree:
    """Where each node of ``module`` hangs. Nodes are distinguished by identity."""

    def __init__(self, module: cst.Module) -> None:
        self.module = module
        self._parent: dict[int, cst.CSTNode | None] = {id(module): None}
        self._start: dict[int, int] = {}
        self._end: dict[int, int] = {}
        self._kinds: dict[type[cst.CSTNode], list[cst.CSTNode]] = {}
        clock = 0
        stack: list[tuple[cst.CSTNode, bool]] = [(module, False)]
        while stack:
            node, done = stack.pop()
            if done:
                self._end[id(node)] = clock
                continue
            self._start[id(node)] = clock
            self._kinds.setdefault(type(node), []).append(node)
            clock += 1
            stack.append((node, True))
            for child in reversed(children(node)):
                self._parent[id(child)] = node
                stack.append((child, False))

    def __len__(self) -> int:
        return len(self._start)

    def __contains__(self, node: object) -> bool:
        return id(node) in self._start

    def nodes(self, kind: type[Node]) -> list[Node]:
        """All nodes of exactly this class, outer first and in source order."""
        return self._kinds.get(kind, [])  # type: ignore[return-value]

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The node that holds ``node``; ``None`` for the module."""
        return self._parent[id(node)]

    def order(self, node: cst.CSTNode) -> int:
        """A number that grows with the node's place; statements of a block compare in the order they run."""
        return self._start[id(node)]

    def contains(self, outer: cst.CSTNode, inner: cst.CSTNode) -> bool:
        """Whether ``inner`` is ``outer`` or lies below it; a node of another file holds nothing, and is in nothing."""
        start, end = self._start.get(id(outer)), self._end.get(id(outer))
        place = self._start.get(id(inner))
        return start is not None and end is not None and place is not None and start <= place < end

    def ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The nodes around ``node``, innermost first, the module last; without ``node``."""
        above = self.parent(node)
        while above is not None:
            yield above
            above = self.parent(above)

    def upward(self, node: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
        """The nodes around ``node``, innermost first, each behind the one below it that holds ``node``, or is it."""
        return pairwise(self.lineage(node))

    def lineage(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """``node`` and then its ancestors."""
        yield node
        yield from self.ancestors(node)

    def statement(self, node: cst.CSTNode) -> Statement:
        """The innermost statement that holds ``node``: a line, or one part of a line with semicolons.

        Raises ``LookupError`` where there is none (the module itself).
        """
        for step in self.lineage(node):
            kind = type(step)
            if _IS_COMPOUND[kind] or kind is cst.SimpleStatementLine:
                return step  # type: ignore[return-value]
            if _IS_SMALL[kind]:
                holder = self.parent(step)
                if isinstance(holder, cst.SimpleStatementLine) and len(holder.body) == 1:
                    return holder
                return step  # type: ignore[return-value]
        raise LookupError("no statement holds this node")

    def function(self, node: cst.CSTNode) -> cst.FunctionDef | None:
        """The innermost ``def`` whose body holds ``node``; its decorators, defaults and name are outside."""
        return next((step for step in self.scopes(node) if type(step) is cst.FunctionDef), None)

    def scopes(self, node: cst.CSTNode) -> Iterator[cst.FunctionDef | cst.Lambda | cst.ClassDef | cst.Module]:
        """The scopes that hold ``node``, innermost first, the module last."""
        for below, step in self.upward(node):
            kind = type(step)
            if kind is cst.Module or (kind in _SCOPES and below is step.body):  # type: ignore[attr-defined]
                yield step  # type: ignore[misc]

    def block(self, statement: cst.CSTNode) -> cst.CSTNode | None:
        """The module, block or one-line suite whose list holds ``statement``; ``None`` for an ``elif``."""
        holder = self.parent(statement)
        if isinstance(holder, cst.SimpleStatementLine):
            holder = self.parent(holder)
        return holder if isinstance(holder, (cst.Module, cst.IndentedBlock, cst.SimpleStatementSuite)) else None


_RECENT: OrderedDict[int, Tree] = OrderedDict()
_MOST_NODES = 60_000


def tree_of(module: cst.Module) -> Tree:
    """The :class:`Tree` of a module, made once (the most recent ones are kept)."""
    tree = _RECENT.get(id(module))
    if tree is None or tree.module is not module:
        tree = _RECENT[id(module)] = Tree(module)
        while len(_RECENT) > 1 and sum(map(len, _RECENT.values())) > _MOST_NODES:
            _RECENT.popitem(last=False)
    _RECENT.move_to_end(id(module))
    return tree


def forget() -> None:
    """Let go of all trees that were asked for."""
    _RECENT.clear()
