"""The names that stand in some code, and the texts that are written out in it. Comments are not among them."""

from __future__ import annotations

from collections.abc import Iterator
from re import Pattern

import libcst as cst

from ddplint.source.ancestry import descend
from ddplint.source.file import SourceFile
from ddplint.util.kept import kept


def words_in(code: cst.CSTNode) -> Iterator[str]:
    """The names and texts in some code, each as often as it stands there."""
    for node in descend(code):
        kind = type(node)
        if kind is cst.Name or kind is cst.FormattedStringText:
            yield node.value  # type: ignore[attr-defined]
        elif kind is cst.SimpleString and isinstance(text := node.evaluated_value, str):  # type: ignore[attr-defined]
            yield text


def says(code: cst.CSTNode, pattern: Pattern[str]) -> bool:
    """Whether a pattern is found in one of the names and texts in some code."""
    return any(map(pattern.search, words_in(code)))


@kept
def words_of(file: SourceFile) -> frozenset[str]:
    """The names and texts in a file."""
    return frozenset(words_in(file.module))
