"""Small questions about the shape of code that several parts of fixing ask."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import libcst as cst

from ddplint.source.tree import dotted

PURE_CALLS = frozenset(
    {
        "bool", "float", "get", "get_local_rank", "get_rank", "get_world_size", "getattr", "getenv", "hasattr", "int",
        "is_available", "is_initialized", "isinstance", "len", "str",
    }
)  # fmt: skip
"""Last names of calls that read and change nothing: the questions a trainer asks about its rank."""

_PURE = (
    cst.Name, cst.Attribute, cst.Integer, cst.Float, cst.SimpleString, cst.Comparison, cst.BooleanOperation,
    cst.UnaryOperation, cst.BinaryOperation, cst.Subscript, cst.Tuple, cst.List, cst.Set,
)  # fmt: skip


def expression(name: str) -> cst.Name | cst.Attribute:
    """The expression for a dotted name."""
    first, *rest = name.split(".")
    node: cst.Name | cst.Attribute = cst.Name(first)
    for part in rest:
        node = cst.Attribute(value=node, attr=cst.Name(part))
    return node


def is_pure(test: cst.BaseExpression, asks: Callable[[cst.Call], bool] = lambda call: False) -> bool:
    """Whether evaluating ``test`` twice, or not at all, is the same as once.

    ``asks`` says of a call that is not known here whether it only asks something.
    """
    stack: list[cst.BaseExpression] = [test]
    while stack:
        node = stack.pop()
        if isinstance(node, cst.Call):
            if not only_asks(node) and not asks(node):
                return False
            stack.extend(argument.value for argument in node.args)
        elif isinstance(node, _PURE):
            stack.extend(operands(node))
        else:
            return False
    return True


def only_asks(call: cst.Call) -> bool:
    """Whether a call is one of :data:`PURE_CALLS`; ``get`` only with a literal key, as a queue has one too."""
    name = dotted(call.func).rpartition(".")[2]
    if name == "get":
        return bool(call.args) and isinstance(call.args[0].value, cst.SimpleString)
    return name in PURE_CALLS


def operands(node: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The direct operands of an operator, literal, attribute or subscript; none for anything else."""
    if isinstance(node, cst.Attribute):
        return [node.value]
    if isinstance(node, cst.Comparison):
        return [node.left, *(part.comparator for part in node.comparisons)]
    if isinstance(node, (cst.BooleanOperation, cst.BinaryOperation)):
        return [node.left, node.right]
    if isinstance(node, cst.UnaryOperation):
        return [node.expression]
    if isinstance(node, cst.IfExp):
        return [node.test, node.body, node.orelse]
    if isinstance(node, (cst.Tuple, cst.List, cst.Set)):
        return [element.value for element in node.elements]
    if isinstance(node, cst.Subscript):
        inner = [part.slice.value for part in node.slice if isinstance(part.slice, cst.Index)]
        return [node.value, *inner]
    return []


def comments(lines: Sequence[cst.EmptyLine]) -> list[cst.EmptyLine]:
    """The lines that hold a comment."""
    return [line for line in lines if line.comment is not None]


def comment_line(trailing: cst.TrailingWhitespace) -> list[cst.EmptyLine]:
    """The comment at the end of a line as a line of its own; empty where there is none."""
    return [] if trailing.comment is None else [cst.EmptyLine(comment=trailing.comment)]


def leading(statement: cst.CSTNode) -> list[cst.EmptyLine]:
    """The blank and comment lines above a statement."""
    return list(getattr(statement, "leading_lines", ()))


def with_leading(statement: cst.BaseStatement, lines: Sequence[cst.EmptyLine]) -> cst.BaseStatement:
    """The statement with ``lines`` above it, in place of what was there."""
    if tuple(lines) == tuple(leading(statement)):
        return statement
    return statement.with_changes(leading_lines=list(lines))


def split_leading(lines: Sequence[cst.EmptyLine]) -> tuple[list[cst.EmptyLine], list[cst.EmptyLine]]:
    """Lines up to the last blank one, and the comments that stand directly above the statement."""
    last = max((place for place, line in enumerate(lines) if line.comment is None), default=-1)
    return list(lines[: last + 1]), list(lines[last + 1 :])


def constant(node: cst.BaseExpression) -> str:
    """The text of an integer, with its sign; ``""`` for anything else."""
    if isinstance(node, cst.Integer):
        return node.value
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        inner = constant(node.expression)
        return f"-{inner}" if inner else ""
    return ""


def text_of(node: cst.BaseExpression) -> str:
    """The value of a plain string literal; ``""`` for anything else."""
    value = node.evaluated_value if isinstance(node, cst.SimpleString) else ""
    return value if isinstance(value, str) else ""


def key_of(node: cst.Subscript) -> cst.BaseExpression | None:
    """The key of ``a[key]``; ``None`` for slices and several keys."""
    inner = node.slice[0].slice if len(node.slice) == 1 else None
    return inner.value if isinstance(inner, cst.Index) else None
