"""Names that join a ``from`` import in the layout it has."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ddplint.findings.edits import AddImport
from ddplint.fixing.code import shape
from ddplint.source.tree import code_of

LINE_LENGTH = 88


def has_room(host: cst.ImportFrom, add: AddImport) -> bool:
    """Whether the name fits: one name per line, or a line that stays short."""
    assert not isinstance(host.names, cst.ImportStar)
    if host.lpar is not None and isinstance(host.lpar.whitespace_after, cst.ParenthesizedWhitespace):
        return True
    text = code_of(host)
    return "\n" not in text and len(text) + len(add.name) + len(add.alias) + 6 <= LINE_LENGTH


def widened(host: cst.ImportFrom, adds: Sequence[AddImport]) -> cst.ImportFrom:
    assert not isinstance(host.names, cst.ImportStar)
    names = list(host.names)
    for add in adds:
        asname = cst.AsName(cst.Name(add.alias)) if add.alias else None
        end = names[-1].comma
        names[-1] = names[-1].with_changes(comma=_separator(host, names))
        names.append(cst.ImportAlias(cst.Name(add.name), asname, comma=_without_comment(end)))
        if _has_comment(end):
            names[-2] = names[-2].with_changes(comma=end.with_changes(whitespace_after=_kept(host, end)))  # type: ignore[union-attr]
    return host.with_changes(names=names)


def _separator(host: cst.ImportFrom, names: Sequence[cst.ImportAlias]) -> cst.Comma:
    if len(names) > 1:
        return _without_comment(names[-2].comma) or cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))  # type: ignore[return-value]
    if host.lpar is not None and isinstance(host.lpar.whitespace_after, cst.ParenthesizedWhitespace):
        return cst.Comma(whitespace_after=_plain(host.lpar.whitespace_after))
    return cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))


def _has_comment(comma: cst.Comma | cst.MaybeSentinel) -> bool:
    space = comma.whitespace_after if isinstance(comma, cst.Comma) else None
    return isinstance(space, cst.ParenthesizedWhitespace) and (
        space.first_line.comment is not None or bool(shape.comments(space.empty_lines))
    )


def _without_comment(comma: cst.Comma | cst.MaybeSentinel) -> cst.Comma | cst.MaybeSentinel:
    if isinstance(comma, cst.Comma) and isinstance(comma.whitespace_after, cst.ParenthesizedWhitespace):
        return comma.with_changes(whitespace_after=_plain(comma.whitespace_after))
    return comma


def _plain(space: cst.ParenthesizedWhitespace) -> cst.ParenthesizedWhitespace:
    return space.with_changes(first_line=cst.TrailingWhitespace(newline=space.first_line.newline), empty_lines=[])


def _kept(host: cst.ImportFrom, end: cst.Comma | cst.MaybeSentinel) -> cst.BaseParenthesizableWhitespace:
    """The comment after the last name stays with it; the next name starts where the first one does."""
    assert isinstance(end, cst.Comma)
    assert isinstance(end.whitespace_after, cst.ParenthesizedWhitespace)
    first = host.lpar.whitespace_after if host.lpar is not None else None
    if isinstance(first, cst.ParenthesizedWhitespace):
        return end.whitespace_after.with_changes(last_line=first.last_line, indent=first.indent)
    return end.whitespace_after
