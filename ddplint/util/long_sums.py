"""Long sums for the parser, which takes time by the square of their terms.

Each step of ``a + b + c + ...`` copies all that stands to its left. So the terms are put into groups of groups, in
parentheses that nobody else writes, before the text is parsed, and the groups are taken apart again in the tree.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import libcst as cst


_MANY = 200
"""Signs in a text from which on it is worth a look."""
_LONG = 50
"""Operators in one sum from which on grouping pays."""
_MOST = 12
"""Terms of a group."""
_MARK = "\f\t\f"
_LEVELS = ((ast.Add, ast.Sub), (ast.Mult, ast.MatMult, ast.Div, ast.Mod, ast.FloorDiv), (ast.BitOr,), (ast.BitAnd,))
_BLANK = r"(?:[ \t\f]|\\?\r?\n|\\?\r|#[^\r\n]*)*"
_OPERATOR = re.compile(rf"{_BLANK}(?://|[-+*/%@|&]){_BLANK}")
_CLOSED = re.compile(rf"{_BLANK}\)")
_SIGNS = "+-*/%@|&"

Span = tuple[int, int]
Item = tuple["cst.BaseBinaryOp", "cst.BaseExpression"]


def may_be_long(text: str) -> bool:
    """Whether there are operators enough for a long sum."""
    return _MARK not in text and sum(map(text.count, _SIGNS)) >= _MANY


def parse_grouped(text: str) -> cst.Module | None:
    """The tree of a text with long sums; ``None`` where there are none, or the parser does it better alone."""
    grouped = _grouped(text)
    if grouped is None:
        return None
    import libcst

    try:
        module = libcst.parse_module(grouped)
    except libcst.ParserSyntaxError:
        return None
    apart = module.visit(_apart())
    return apart if apart.code == text else None


def _grouped(text: str) -> str | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    opening: Counter[int] = Counter()
    closing: Counter[int] = Counter()
    offsets = _Offsets(text)
    for spans in _sums(tree, text, offsets):
        for start, end in _groups(spans):
            opening[start] += 1
            closing[end] += 1
    return _with_parentheses(text, opening, closing) if opening else None


def _with_parentheses(text: str, opening: Counter[int], closing: Counter[int]) -> str:
    pieces, done = [], 0
    for at in sorted({*opening, *closing}):
        pieces += [text[done:at], ")" * closing[at], f"({_MARK}" * opening[at]]
        done = at
    return "".join([*pieces, text[done:]])


class _Offsets:
    """Offsets in a text of what ``ast`` gives as lines and bytes."""

    def __init__(self, text: str) -> None:
        self._lines = re.split("(?<=\n)|(?<=\r)(?!\n)", text)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def of(self, line: int, column: int) -> int:
        """The offset of a place."""
        text = self._lines[line - 1]
        inside = column if text.isascii() else len(text.encode()[:column].decode("utf-8", "ignore"))
        return self._starts[line - 1] + inside


def _sums(tree: ast.AST, text: str, offsets: _Offsets) -> Iterator[list[Span]]:
    """The terms of each long sum: where they begin and end, parentheses included."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.BinOp):
            spine = _spine(node)
            waiting += [spine[0].left, *(one.right for one in spine)]
            spans = _terms(spine, text, offsets) if len(spine) >= _LONG else None
            if spans is not None:
                yield spans
        else:
            waiting += ast.iter_child_nodes(node)


def _spine(top: ast.BinOp) -> list[ast.BinOp]:
    """The operations of a sum, the first one first."""
    level = next((level for level in _LEVELS if isinstance(top.op, level)), ())
    found = [top]
    while True:
        left = found[-1].left
        begins_there = (left.lineno, left.col_offset) == (top.lineno, top.col_offset)
        if not (isinstance(left, ast.BinOp) and isinstance(left.op, level) and begins_there):
            return found[::-1]
        found.append(left)


def _terms(spine: Sequence[ast.BinOp], text: str, offsets: _Offsets) -> list[Span] | None:
    ends = [offsets.of(one.end_lineno or 0, one.end_col_offset or 0) for one in spine]
    start, first = offsets.of(spine[0].lineno, spine[0].col_offset), spine[0].left
    at = offsets.of(first.end_lineno or 0, first.end_col_offset or 0)
    while (match := _CLOSED.match(text, at)) is not None:  # the first term has parentheses
        at = match.end()
    spans = [(start, at)]
    for end in ends:
        operator = _OPERATOR.match(text, at)
        if operator is None or operator.end() >= end:
            return None
        spans.append((operator.end(), end))
        at = end
    return spans


def _groups(spans: Sequence[Span]) -> Iterator[Span]:
    """The groups into which terms are put, and those into which groups are."""
    while len(spans) > _MOST:
        parts = [spans[at : at + _MOST] for at in range(0, len(spans), _MOST)]
        yield from ((part[0][0], part[-1][1]) for part in parts if len(part) > 1)
        spans = [(part[0][0], part[-1][1]) for part in parts]


def _apart() -> cst.CSTTransformer:
    """What takes the groups of a tree apart again."""
    import libcst

    def is_group(node: cst.CSTNode) -> bool:
        around = node.lpar if isinstance(node, libcst.BinaryOperation) else ()
        return any(getattr(one.whitespace_after, "value", "") == _MARK for one in around)

    def items(group: cst.BaseExpression) -> tuple[cst.BaseExpression, list[Item]]:
        """The first term of a group, and the others behind their operators."""
        found: list[Item] = []
        node, outer = group, True
        while isinstance(node, libcst.BinaryOperation) and (outer or not node.lpar or is_group(node)):
            if not outer and not is_group(node) and type(node.operator) not in level_of(group):
                break
            first, more = items(node.right) if is_group(node.right) else (node.right, [])
            found += [*reversed(more), (node.operator, first)]
            node, outer = node.left, False
        return node, found[::-1]

    def level_of(group: cst.BaseExpression) -> tuple[type, ...]:
        assert isinstance(group, libcst.BinaryOperation)
        return next(level for level in levels if isinstance(group.operator, level))

    levels = (
        (libcst.Add, libcst.Subtract),
        (libcst.Multiply, libcst.MatrixMultiply, libcst.Divide, libcst.Modulo, libcst.FloorDivide),
        (libcst.BitOr,),
        (libcst.BitAnd,),
    )

    def joined(left: cst.BaseExpression, more: list[Item]) -> cst.BaseExpression:
        for operator, right in more:
            left = libcst.BinaryOperation(left=left, operator=operator, right=right)
        return left

    class Apart(libcst.CSTTransformer):
        def leave_BinaryOperation(
            self, original_node: cst.BinaryOperation, updated_node: cst.BinaryOperation
        ) -> cst.BaseExpression:
            node = updated_node
            if is_group(node) or not (is_group(node.left) or is_group(node.right)):
                return node
            left, more = items(node.left) if is_group(node.left) else (node.left, [])
            first, others = items(node.right) if is_group(node.right) else (node.right, [])
            whole = joined(joined(left, [*more, (node.operator, first)]), others)
            return whole.with_changes(lpar=node.lpar, rpar=node.rpar)

    return Apart()
