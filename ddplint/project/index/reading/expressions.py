"""Expressions as words."""

from __future__ import annotations

import ast

from ddplint.project.index.records import NOTHING

_DEPTH = 30
_TEXT = 60
_LISTED = 8
_MOST = 1000
_TAKEN = ("None", "[ ", "cuda:{ ")
"""How texts begin that would be read as what :func:`made_of_things` says."""


def described(node: ast.AST | None, depth: int = 0) -> str:
    """The words of an expression: names, attributes, calls and items; empty for anything else."""
    kind = type(node)
    if kind is ast.Name:
        return str(node.id)  # type: ignore[union-attr]
    if depth > _DEPTH:
        return ""
    if kind is ast.Attribute:
        inner = described(node.value, depth + 1)  # type: ignore[union-attr]
        return f"{inner} .{node.attr}" if inner else ""  # type: ignore[union-attr]
    if kind is ast.Call:
        return _call(node, depth)  # type: ignore[arg-type]
    if kind is ast.Subscript:
        inner = described(node.value, depth + 1)  # type: ignore[union-attr]
        return f"{inner} [{_key(node.slice)}" if inner else ""  # type: ignore[union-attr]
    if kind is ast.Await or kind is ast.Starred or kind is ast.NamedExpr:
        return described(node.value, depth + 1)  # type: ignore[union-attr]
    return ""


def _call(node: ast.Call, depth: int) -> str:
    function = node.func
    if isinstance(function, ast.Name) and function.id == "int" and len(node.args) == 1 and not node.keywords:
        return described(node.args[0], depth + 1)
    if isinstance(function, ast.Name) and function.id == "getattr" and len(node.args) >= 2:
        owner, key = described(node.args[0], depth + 1), node.args[1]
        if owner and isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value.isidentifier():
            return f"{owner} .{key.value}"
        return f"{owner} .*" if owner else ""
    inner = described(function, depth + 1)
    return f"{inner} ()" if inner else ""


def _key(node: ast.AST) -> str:
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, str) and value.isprintable() and " " not in value else ""


def choices(node: ast.AST | None) -> list[str]:
    """The words of an expression, or of each way it may go: ``a if test else b``, ``a or b``."""
    stack, found = [node], []
    while stack:
        one = stack.pop()
        if isinstance(one, ast.IfExp):
            stack += [one.body, one.orelse]
        elif isinstance(one, ast.BoolOp):
            stack += one.values
        elif words := described(one):
            found.append(words)
    return found


def given_as(node: ast.AST) -> str:
    """The words of what a call is given: of a small number or a short text itself, behind a quote."""
    number = _number(node)
    if number is not None:
        return f"'{number}"
    if isinstance(node, ast.Constant):
        value = node.value
        if not isinstance(value, str) or len(value) >= _TEXT or not value.isprintable():
            return ""
        return "" if value.startswith(_TAKEN) else f"'{value}"
    return described(node) or made_of_things(node)


def _number(node: ast.AST) -> int | None:
    """A whole number that is written out, if it has few digits."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand)
        return -inner if inner is not None else None
    value = node.value if isinstance(node, ast.Constant) else None
    return value if type(value) is int and value < _MOST else None


def made_of_things(node: ast.AST) -> str:
    """``None`` is ``'None``, ``f"cuda:{rank}"`` is ``'cuda:{ rank``, ``[a, b]`` is ``'[ a , b``; else empty."""
    if isinstance(node, ast.Constant) and node.value is None:
        return NOTHING
    if isinstance(node, ast.JoinedStr) and len(node.values) == 2:
        before, after = node.values
        if isinstance(before, ast.Constant) and isinstance(after, ast.FormattedValue) and before.value == "cuda:":
            words = described(after.value)
            return f"'cuda:{{ {words}" if words else ""
    if isinstance(node, (ast.List, ast.Tuple)) and 0 < len(node.elts) <= _LISTED:
        parts = [described(one) for one in node.elts]
        return f"'[ {' , '.join(parts)}" if all(parts) else ""
    return ""
