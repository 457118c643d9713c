"""The names that stand in some code, and the texts that are written out in it. Comments are not among them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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


def words_behind(file: SourceFile, code: cst.CSTNode) -> Iterator[str]:
    """The names and texts in some code, and in what its file defines under these names, as far as that leads."""
    seen: set[str] = set()
    rest = [code]
    while rest:
        new = set(words_in(rest.pop())) - seen
        seen |= new
        yield from new
        rest += [statement for name in new for statement in _binding(file).get(name, ())]


@kept
def _binding(file: SourceFile) -> Mapping[str, Sequence[cst.CSTNode]]:
    """What a module binds its names to: functions, classes, what is imported, and statements that assign them."""
    found: dict[str, list[cst.CSTNode]] = {}
    for statement in file.module.body:
        if isinstance(statement, (cst.FunctionDef, cst.ClassDef)):
            found.setdefault(statement.name.value, []).append(statement)
            continue
        for node in descend(statement):
            if isinstance(node, cst.ImportAlias):
                found.setdefault(next(reversed(list(words_in(node)))), []).append(node)
            elif isinstance(node, (cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.NamedExpr)):
                found.setdefault(next(words_in(node.target), ""), []).append(statement)
    return found
