"""A fix as text: which lines of which files are replaced by what."""

from __future__ import annotations

from collections.abc import Sequence

from ddplint.findings.detached import Replacement, SettledFix
from ddplint.findings.model import Fix
from ddplint.source.file import SourceFile
from ddplint.util.ranges import Range


def replacements(fix: Fix) -> tuple[Replacement, ...]:
    """What ``fix`` does to the text, file by file from the top; nothing where it cannot be carried out."""
    from ddplint.findings.edits import EditError
    from ddplint.fixing.edit.apply import apply_edits, rewritten

    if isinstance(fix, SettledFix):
        return fix.changes
    found: list[Replacement] = []
    for file in dict.fromkeys(edit.file for edit in fix.edits):
        edits = [edit for edit in fix.edits if edit.file is file]
        try:
            found += changes(file, rewritten(file.text, file.module, apply_edits(file.module, edits)))
        except (EditError, RecursionError):
            return ()
    return tuple(found)


def changes(file: SourceFile, after: str) -> list[Replacement]:
    """The stretches of whole lines in which ``after`` differs from the text of ``file``."""
    from ddplint.fixing.edit.diff import line_opcodes, lines_of

    old, new = lines_of(file.text), lines_of(after)
    return [
        Replacement(file, _lines(old, start, end), "".join(new[first:last]))
        for tag, start, end, first, last in line_opcodes(old, new)
        if tag != "equal"
    ]


def _lines(lines: Sequence[str], start: int, end: int) -> Range:
    """From the start of a line to the start of another; at the end of the file, to its last character."""
    first, last = _point(lines, start), _point(lines, end)
    return Range(*first, *last)


def _point(lines: Sequence[str], line: int) -> tuple[int, int]:
    if line < len(lines) or not lines or lines[-1].endswith(("\n", "\r")):
        return line + 1, 1
    return len(lines), len(lines[-1]) + 1


def applied(file: SourceFile, changes: Sequence[Replacement]) -> str:
    """The text of ``file`` with the changes made."""
    from ddplint.fixing.edit.diff import lines_of

    lines = lines_of(file.text)
    for change in sorted(changes, key=lambda one: one.range.start_line, reverse=True):
        where = change.range
        start = _offset(lines, where.start_line, where.start_col)
        end = _offset(lines, where.end_line, where.end_col)
        text = "".join(lines)
        lines = lines_of(text[:start] + change.text + text[end:])
    return "".join(lines)


def _offset(lines: list[str], line: int, column: int) -> int:
    return sum(map(len, lines[: line - 1])) + column - 1
