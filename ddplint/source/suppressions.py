"""``# ddplint: ignore[CODE] reason``: which findings a file asks to leave out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import libcst as cst

    from ddplint.util.ranges import Range


_OTHER = re.compile(r"#\s*ddplint:\s*(?P<verb>[\w-]+)")
_NOQA = re.compile(r"#\s*noqa\s*:[^#]*?\b(?P<code>DDP\d+)", re.IGNORECASE)


class Source(Protocol):
    """What is asked of a file whose comments are read."""

    @property
    def text(self) -> str: ...
    @property
    def lines(self) -> list[str]: ...
    @property
    def module(self) -> cst.Module: ...
    def range_of(self, node: cst.CSTNode) -> Range: ...
    def ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]: ...


COMMENT = re.compile(r"#\s*ddplint:\s*(?P<verb>ignore(?:-file)?)\b(?:\s*\[(?P<codes>[^\]]*)\])?\s*(?P<reason>.*)")


@dataclass(frozen=True)
class Suppression:
    """One comment: its line and column, the codes or names it lists, the reason given, whether it speaks for the file.

    ``column`` is where its ``#`` stands, which may be behind another comment.
    """

    line: int
    codes: tuple[str, ...]
    reason: str
    whole_file: bool
    column: int = 1


@dataclass(frozen=True)
class Suppressions:
    """The comments of one file; ``remarks`` (line, text) are about those that have no effect."""

    comments: tuple[Suppression, ...] = ()
    remarks: tuple[tuple[int, str], ...] = field(default=())

    def find(self, keys: Iterable[str], lines: Iterable[int]) -> Suppression | None:
        """The comment that silences a finding.

        Parameters: ``keys``, what a comment may call it (code, name); ``lines``, the lines on which a comment counts
        (its own, and the heads of the blocks around it).
        """
        wanted, places = set(keys), set(lines)
        for comment in self.comments:
            if (comment.whole_file or comment.line in places) and wanted.intersection(comment.codes):
                return comment
        return None


def parse_suppressions(file: Source) -> Suppressions:
    """The suppression comments of ``file``, with remarks on those that have no effect."""
    if "ddplint:" not in file.text and not _NOQA.search(file.text):
        return Suppressions()
    found: list[Suppression] = []
    remarks: list[tuple[int, str]] = []
    head_ends = _first_code_line(file)
    for node in _comments(file.module):
        match = COMMENT.search(node.value)
        if match is None:
            odd = odd_comment(node.value)
            remarks += [(file.range_of(node).start_line, odd)] if odd else []
            continue
        place = file.range_of(node)
        codes = tuple(code.strip() for code in (match["codes"] or "").split(",") if code.strip())
        if not codes:
            remarks.append((place.start_line, remark_without_codes(match["verb"])))
            continue
        alone = not file.lines[place.start_line - 1][: place.start_col - 1].strip()
        whole = match["verb"] == "ignore-file"
        if whole and not (alone and place.start_line < head_ends):
            remarks.append((place.start_line, "'ignore-file' must stand alone, above the first statement"))
            continue
        found.append(
            Suppression(place.start_line, codes, match["reason"].strip(), whole, place.start_col + match.start())
        )
    return Suppressions(tuple(found), tuple(remarks))


def remark_without_codes(verb: str) -> str:
    """What is said about a comment that silences nothing because it names no rule."""
    return f"'{verb}' names no rule: write {verb}[DDP101]"


def odd_comment(text: str) -> str:
    """What is said about a comment that was meant to silence something and does not; mostly nothing."""
    other, noqa = _OTHER.search(text), _NOQA.search(text)
    if other is not None:
        return f"'{other['verb']}' silences nothing: write ignore[DDP101], or ignore-file[DDP101]"
    return f"noqa does not silence ddplint: write # ddplint: ignore[{noqa['code']}]" if noqa is not None else ""


def unknown_code(code: str, codes: Iterable[str], names: Iterable[str]) -> str:
    """What is said about a word in a comment's brackets that is no rule."""
    known = sorted(codes)
    if code and any(one.startswith(code.upper()) for one in known):
        return f"'{code}' is a group: a comment silences single rules, such as {_first(known, code)}"
    from ddplint.util.spelling import rule_hint

    return f"unknown rule '{code}' in a suppression{rule_hint(code, [*known, *names])}"


def _first(known: Iterable[str], group: str) -> str:
    return next(one for one in known if one.startswith(group.upper()))


def comment_lines(file: Source, node: cst.CSTNode) -> set[int]:
    """The lines on which a comment speaks for ``node``.

    These are its statement's own, the heads of the blocks around it, and lines of comments right above one of those.
    """
    import libcst

    place = file.range_of(node)
    lines = {place.start_line}
    blocks = _blocks()
    for step in (node, *file.ancestors(node)):
        own = range(0)
        if isinstance(step, (libcst.SimpleStatementLine, libcst.SimpleStatementSuite)):
            span = file.range_of(step)
            own = range(span.start_line, span.end_line + 1)
        elif isinstance(step, blocks):
            own = _head_lines(file, step)
        lines.update((*own, *_comments_above(file, own.start)) if own else ())
    return lines


def _comments_above(file: Source, line: int) -> Iterator[int]:
    """The lines right above ``line`` that hold nothing but a comment."""
    while line > 1 and file.lines[line - 2].lstrip().startswith("#"):
        line -= 1
        yield line


def bearing_lines(file: Source, node: cst.CSTNode) -> range:
    """The lines of the statement, or of the head of the block, that a comment for ``node`` is put at.

    It goes to the end of the last one, or above the first one.
    """
    import libcst

    for step in (node, *file.ancestors(node)):
        if isinstance(step, (libcst.SimpleStatementLine, libcst.SimpleStatementSuite)):
            own = file.range_of(step)
            return range(own.start_line, own.end_line + 1)
        if isinstance(step, _blocks()):
            return _head_lines(file, step)
    line = file.range_of(node).start_line
    return range(line, line + 1)


def _blocks() -> tuple[type[cst.CSTNode], ...]:
    """What has a head line and a block of its own."""
    import libcst

    handlers = (libcst.ExceptHandler, libcst.ExceptStarHandler, libcst.Finally)
    return (libcst.BaseCompoundStatement, libcst.Else, libcst.MatchCase, *handlers)


def _head_lines(file: Source, statement: cst.CSTNode) -> range:
    import libcst

    first = file.range_of(statement).start_line
    if isinstance(statement, (libcst.FunctionDef, libcst.ClassDef)) and statement.decorators:
        first = file.range_of(statement.decorators[0]).start_line
    body = getattr(statement, "body", None)
    header = body.header if isinstance(body, libcst.IndentedBlock) else None
    if header is None:
        return range(first, file.range_of(statement).start_line + 1)
    return range(first, file.range_of(header).start_line + 1)


def _comments(module: cst.Module) -> Iterator[cst.Comment]:
    import libcst

    stack: list[cst.CSTNode] = [module]
    while stack:
        node = stack.pop()
        if isinstance(node, libcst.Comment):
            yield node
        stack += reversed(node.children)


def _first_code_line(file: Source) -> int:
    for number, statement in enumerate(file.module.body):
        if number or not _is_text(statement):
            return file.range_of(statement).start_line
    return len(file.lines) + 1


def _is_text(statement: cst.CSTNode) -> bool:
    """Whether a statement is a text and nothing else, as a docstring is."""
    import libcst

    if not isinstance(statement, libcst.SimpleStatementLine) or len(statement.body) != 1:
        return False
    (only,) = statement.body
    return isinstance(only, libcst.Expr) and isinstance(only.value, (libcst.SimpleString, libcst.ConcatenatedString))
