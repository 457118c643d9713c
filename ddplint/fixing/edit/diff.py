"""Which lines differ, and that as a unified diff that git and patch read."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence

Opcode = tuple[str, int, int, int, int]
"""Tag (``equal``, ``replace``, ``delete``, ``insert``), then the lines of the old text and of the new one."""

_NO_NEWLINE = "\\ No newline at end of file"
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_GIT_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_EXACT = 2000
_CONTEXT = 3
"""Unchanged lines around a change, as git has them."""


def lines_of(text: str) -> list[str]:
    """The lines of a text with their ends, split where Python splits them."""
    return _LINE.findall(text)


def line_opcodes(old: Sequence[str], new: Sequence[str]) -> list[Opcode]:
    """How ``new`` comes from ``old``. What they share at both ends is set aside first, so large files stay cheap."""
    start, short = 0, min(len(old), len(new))
    while start < short and old[start] == new[start]:
        start += 1
    end = 0
    while end < short - start and old[-1 - end] == new[-1 - end]:
        end += 1
    middle, other = old[start : len(old) - end], new[start : len(new) - end]
    matcher = difflib.SequenceMatcher(None, middle, other, autojunk=max(len(middle), len(other)) > _EXACT)
    found: list[Opcode] = [("equal", 0, start, 0, start)] if start else []
    for tag, one, two, three, four in matcher.get_opcodes():
        found.append((tag, one + start, two + start, three + start, four + start))
    if end:
        found.append(("equal", len(old) - end, len(old), len(new) - end, len(new)))
    return found


def unified_diff(path: str, before: str, after: str) -> str:
    """The change from ``before`` to ``after``, with ``a/`` and ``b/`` in front of ``path``; ``""`` where there is none.

    Line ends are part of the lines, so a file with ``\\r\\n`` gives a diff that applies to it.
    """
    if before == after:
        return ""
    old, new = _GIT_LINE.findall(before), _GIT_LINE.findall(after)
    name = path.removeprefix("./")
    parts = [f"--- {_named('a', name)}\n", f"+++ {_named('b', name)}\n"]
    for hunk in _hunks(line_opcodes(old, new), _CONTEXT):
        first, last = hunk[0], hunk[-1]
        parts.append(f"@@ -{_span(first[1], last[2])} +{_span(first[3], last[4])} @@\n")
        parts += _lines(hunk, old, new)
    return "".join(parts)


def _hunks(opcodes: Sequence[Opcode], context: int) -> Iterator[list[Opcode]]:
    """The changes with up to ``context`` unchanged lines around them; those closer than twice that share a hunk."""
    hunk: list[Opcode] = []
    for place, (tag, one, two, three, four) in enumerate(opcodes):
        if tag != "equal":
            hunk.append((tag, one, two, three, four))
            continue
        head = min(context, two - one) if place else 0
        tail = min(context, two - one) if place < len(opcodes) - 1 else 0
        if place and place < len(opcodes) - 1 and two - one <= 2 * context:
            hunk.append((tag, one, two, three, four))
            continue
        if hunk:
            yield [*hunk, (tag, one, one + head, three, three + head)] if head else hunk
        hunk = [(tag, two - tail, two, four - tail, four)] if tail else []
    if any(tag != "equal" for tag, *_ in hunk):
        yield hunk


def _lines(hunk: Sequence[Opcode], old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    for tag, start, end, new_start, new_end in hunk:
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


def _named(side: str, name: str) -> str:
    """The path as git writes it: absolute paths without their first slash; a tab ends a name with blanks."""
    whole = f"{side}/{name.lstrip('/')}"
    return f"{whole}\t" if " " in whole else whole
