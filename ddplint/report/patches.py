"""A fix as a diff."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.findings.detached import Replacement
from ddplint.findings.model import Fix
from ddplint.report.page.snippets import plain
from ddplint.report.replacements import replacements
from ddplint.source.file import SourceFile

__all__ = ["patch"]

_KINDS = {"+": "added", "-": "removed", "@": "hunk"}


def patch(fix: Fix) -> str:
    """The changes of a fix, file by file; nothing where it cannot be carried out."""
    from ddplint.fixing.edit.diff import unified_diff

    changes = replacements(fix)
    lines: list[str] = []
    for file in dict.fromkeys(change.file for change in changes):
        after = _after(file, [change for change in changes if change.file is file])
        lines += unified_diff(file.path, file.text, after).splitlines()
    return f'<pre class="patch" tabindex="0">{"".join(_drawn(lines))}</pre>' if lines else ""


def _after(file: SourceFile, changes: list[Replacement]) -> str:
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


def _drawn(lines: list[str]) -> Iterator[str]:
    for line in lines:
        head = line.startswith(("+++", "---"))
        kind = "path" if head else _KINDS.get(line[:1], "")
        yield f'<span class="{kind}">{plain(line)}</span>\n' if kind else f"{plain(line)}\n"
