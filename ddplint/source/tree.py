"""Quick ways down a LibCST tree. LibCST's own visitors, and ``isinstance`` on its classes, are slow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from operator import attrgetter
from typing import Any

import libcst as cst

Node = cst.CSTNode
"""A place in the code, for who carries one and does not look into it."""

FunctionNode = cst.FunctionDef | cst.Lambda
ClassNode = cst.ClassDef

OWN = (cst.FunctionDef, cst.Lambda, cst.ClassDef, cst.Name)
"""What is not entered by a search in the body of a function proper; names only because they hold nothing."""

_QUIET = frozenset("leading_lines header footer leading_whitespace trailing_whitespace lines_after_decorators".split())


class Kinds(dict[type, bool]):
    """Whether objects of a class are of some kinds, asked once for each class: ``IS_LOOP[type(node)]``."""

    def __init__(self, *kinds: type) -> None:
        super().__init__()
        self._kinds = kinds

    def __missing__(self, kind: type) -> bool:
        found = self[kind] = issubclass(kind, self._kinds)
        return found


is_node = Kinds(cst.CSTNode)


@cache
def _getter(kind: type[cst.CSTNode]) -> Any:
    """Gives the values of a node that may be or hold nodes; ``None`` for a class that has none such."""
    names = [
        item.name
        for item in fields(kind)
        if not item.name.startswith("whitespace") and item.name not in _QUIET and item.type not in (str, bool)
    ]
    if not names:
        return None
    get = attrgetter(*names)
    return get if len(names) > 1 else lambda node: (get(node),)


def children(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The child nodes in the order of the node's fields; whitespace is left out."""
    get = _getter(type(node))
    found: list[cst.CSTNode] = []
    if get is None:
        return found
    for value in get(node):
        if not value:  # most lists are empty: a name may have brackets, and hardly ever does
            continue
        kind = type(value)
        if kind is tuple or kind is list:  # of nodes, always
            found += value
        elif is_node[kind]:
            found.append(value)
    return found


def code_of(node: cst.CSTNode) -> str:
    """The source of a node, as it is written in a module that is indented by four spaces."""
    return _EMPTY.code_for_node(node)


_EMPTY = cst.Module([])


def dotted(node: cst.CSTNode) -> str:
    """``a.b.c`` for a name or an attribute chain of names, else ``""``."""
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    if not isinstance(node, cst.Name):
        return ""
    return ".".join([node.value, *reversed(parts)])


def only_part(line: cst.CSTNode) -> cst.BaseSmallStatement | None:
    """The statement that is a line of its own; ``None`` for one with semicolons, and for what holds a block."""
    return line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else None


def variable_of(line: cst.CSTNode) -> cst.Name | None:
    """The one variable that a line assigns; ``None`` for any other line."""
    only = only_part(line)
    if not isinstance(only, cst.Assign) or len(only.targets) != 1:
        return None
    target = only.targets[0].target
    return target if isinstance(target, cst.Name) else None


def functions(module: cst.Module) -> Iterator[cst.FunctionDef | cst.Lambda]:
    """The functions and lambdas of a module, always in the same order."""
    stack: list[cst.CSTNode] = [module]
    while stack:
        node = stack.pop()
        if type(node) is cst.FunctionDef or type(node) is cst.Lambda:
            yield node
        stack += children(node)


def holds(node: cst.CSTNode, kind: type[cst.CSTNode], outside: tuple[type[cst.CSTNode], ...]) -> bool:
    """Whether ``node`` is or holds one of just the class ``kind``; nodes of the classes ``outside`` are not entered."""
    stack = [node]
    while stack:
        node = stack.pop()
        if type(node) is kind:
            return True
        if type(node) not in outside:
            stack += children(node)
    return False


def positional(params: cst.Parameters) -> list[str]:
    """The names of the parameters that an argument without a keyword may go to, in order."""
    return [param.name.value for param in (*params.posonly_params, *params.params)]
