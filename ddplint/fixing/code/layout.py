"""Where comments and blank lines go when statements are cut, moved or removed."""

from __future__ import annotations

import libcst as cst

from ddplint.fixing.code import shape

Lines = list[cst.EmptyLine]
Statements = list[cst.BaseStatement]


def relined(line: cst.SimpleStatementLine, pieces: Statements, last: int | None) -> tuple[Statements, Lines]:
    """Give the comments above and at the end of ``line`` to the pieces it was cut into."""
    orphans: Lines = []
    if last is not None:
        pieces[last] = pieces[last].with_changes(trailing_whitespace=line.trailing_whitespace)
    else:
        orphans = shape.comment_line(line.trailing_whitespace)
    if pieces:
        pieces[0] = shape.with_leading(pieces[0], [*line.leading_lines, *shape.leading(pieces[0])])
    else:
        orphans = [*left_behind(line), *orphans]
    return pieces, orphans


def unjoined(group: list[cst.BaseSmallStatement], end: cst.BaseSmallStatement) -> list[cst.BaseSmallStatement]:
    """The group as a line of its own: no semicolon after its last statement unless the line had one there."""
    *rest, last = group
    if last is not end and isinstance(last.semicolon, cst.Semicolon):
        last = last.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
    return [*rest, last]


def apart(statement: cst.BaseStatement, blank: Lines, above: cst.BaseStatement) -> Lines:
    """The blank lines between a statement and ``above``, which is put there: functions and classes stand apart."""
    if isinstance(above, cst.FunctionDef):
        return [*blank, *missing_blanks(blank)]
    return list(blank) if isinstance(statement, (cst.FunctionDef, cst.ClassDef)) else []


def missing_blanks(blank: Lines) -> Lines:
    """What a definition of a module lacks to stand two lines apart."""
    return [cst.EmptyLine(indent=False)] * (2 - len(blank))


def left_behind(statement: cst.BaseStatement) -> Lines:
    """What stays of the lines above a removed statement: people's comments, and the blank lines among them."""
    lines = shape.leading(statement)
    return lines if shape.comments(lines) else []


def header_comment(suite: cst.BaseSuite) -> Lines:
    return shape.comment_line(suite.header) if isinstance(suite, cst.IndentedBlock) else []


def passing(suite: cst.BaseSuite, lines: Lines) -> cst.BaseSuite:
    """The block with nothing but ``pass`` and the comments that were in it."""
    if isinstance(suite, cst.SimpleStatementSuite) and not lines:
        return suite.with_changes(body=[cst.Pass()])
    line = cst.SimpleStatementLine([cst.Pass()], leading_lines=lines)
    if isinstance(suite, cst.IndentedBlock):
        return suite.with_changes(body=[line], footer=[])
    return cst.IndentedBlock(body=[line])


def outdented(value: cst.BaseExpression) -> cst.BaseExpression:
    """An expression of several lines as it stands on a line of its own: as far to the left as its last line goes."""
    measure = _Widths()
    value.visit(measure)
    least = min(measure.found, default=0)
    if not least:
        return value
    moved = value.visit(_Outdent(least))
    assert isinstance(moved, cst.BaseExpression)
    return moved


class _Widths(cst.CSTVisitor):
    def __init__(self) -> None:
        self.found: list[int] = []

    def visit_ParenthesizedWhitespace(self, node: cst.ParenthesizedWhitespace) -> None:
        self.found.append(len(node.last_line.value) if node.indent else 0)


class _Outdent(cst.CSTTransformer):
    def __init__(self, width: int) -> None:
        self._width = width

    def leave_ParenthesizedWhitespace(
        self, original_node: cst.ParenthesizedWhitespace, updated_node: cst.ParenthesizedWhitespace
    ) -> cst.ParenthesizedWhitespace:
        last = cst.SimpleWhitespace(original_node.last_line.value[self._width :])
        lines = [
            line.with_changes(whitespace=cst.SimpleWhitespace(line.whitespace.value[self._width :]))
            for line in original_node.empty_lines
        ]
        return updated_node.with_changes(last_line=last, empty_lines=lines)
