"""Unified diffs as git and patch read them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence

__all__ = ["unified_diff"]

_NO_NEWLINE = "\\ No newline at end of file"
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def unified_diff(path: str, before: str, after: str, *, context: int = 3) -> str:
    """The change from ``before`` to ``after``, with ``a/`` and ``b/`` in front of ``path``; ``""`` where there is none.

    Line ends are part of the lines, so a file with ``\\r\\n`` gives a diff that applies to it.
    """
    if before == after:
        return ""
    old, new = _LINE.findall(before), _LINE.findall(after)
    name = path.removeprefix("./")
    lines = [f"--- {_quoted('a', name)}\n", f"+++ {_quoted('b', name)}\n"]
    for group in difflib.SequenceMatcher(None, old, new, False).get_grouped_opcodes(context):
        first, last = group[0], group[-1]
        lines.append(f"@@ -{_span(first[1], last[2])} +{_span(first[3], last[4])} @@\n")
        lines += _hunk(group, old, new)
    return "".join(lines)


def _hunk(group: Sequence[tuple[str, int, int, int, int]], old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    for tag, start, end, new_start, new_end in group:
        if tag == "equal":
            yield from (_ended(" " + line) for line in old[start:end])
        else:
            yield from (_ended("-" + line) for line in old[start:end])
            yield from (_ended("+" + line) for line in new[new_start:new_end])


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}\n"


def _span(start: int, end: int) -> str:
    """A range of lines in the notation of diff: an empty one names the line before it."""
    length = end - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"


def _quoted(side: str, name: str) -> str:
    """The path as git writes it: absolute paths without their first slash; a tab ends a name with blanks."""
    whole = f"{side}/{name.lstrip('/')}"
    return f"{whole}\t" if " " in whole else whole
