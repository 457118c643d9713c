"""Suppression comments put into a text and taken out of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ddplint.source import SourceFile
from ddplint.suppressions import Suppression, bearing_line

if TYPE_CHECKING:
    from ddplint.rule import Finding

__all__ = ["moved", "with_ignores", "without_codes"]

_LINES = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_BRACKETS = re.compile(r"(ignore(?:-file)?\s*\[)([^\]]*)(\])")


def with_ignores(file: SourceFile, findings: Iterable[Finding], reason: str) -> str:
    """The text with a comment for each of ``findings``, on the last line of its statement or of the block's head."""
    wanted: dict[int, list[str]] = {}
    for finding in findings:
        codes = wanted.setdefault(bearing_line(file, finding.place.node), [])
        if finding.code not in codes:
            codes.append(finding.code)
    lines = _LINES.findall(file.text)
    comments = {one.line: one for one in file.suppressions.comments if not one.whole_file}
    for number, codes in wanted.items():
        lines[number - 1] = _added(lines[number - 1], sorted(codes), reason, comments.get(number))
    return "".join(lines)


def without_codes(file: SourceFile, unused: Sequence[tuple[Suppression, tuple[str, ...]]]) -> str:
    """The text without the given codes in the given comments, and without comments that are left with none."""
    lines = _LINES.findall(file.text)
    for comment, codes in unused:
        left = [code for code in comment.codes if code not in codes]
        line = lines[comment.line - 1]
        body, end = _split(line)
        head, tail = body[: comment.column - 1], body[comment.column - 1 :]
        if left:
            lines[comment.line - 1] = head + _BRACKETS.sub(rf"\g<1>{', '.join(left)}\g<3>", tail, count=1) + end
        else:
            lines[comment.line - 1] = head.rstrip() + end if head.strip() else ""
    return "".join(lines)


def _added(line: str, codes: Sequence[str], reason: str, comment: Suppression | None) -> str:
    body, end = _split(line)
    if comment is None:
        return f"{body.rstrip()}  # ddplint: ignore[{', '.join(codes)}] {reason}".rstrip() + end
    every = [*comment.codes, *(code for code in codes if code not in comment.codes)]
    head, tail = body[: comment.column - 1], body[comment.column - 1 :]
    return head + _BRACKETS.sub(rf"\g<1>{', '.join(every)}\g<3>", tail, count=1) + end


def _split(line: str) -> tuple[str, str]:
    body = line.rstrip("\r\n")
    return body, line[len(body) :]


def moved(
    before: SourceFile, after: SourceFile, unused: Mapping[int, tuple[str, ...]]
) -> list[tuple[Suppression, tuple[str, ...]]]:
    """The comments of ``after`` that stood on the given lines of ``before``, with the codes given for those."""
    from ddplint.fixing.diff import line_opcodes, lines_of

    lines: dict[int, int] = {}
    for tag, start, end, first, _ in line_opcodes(lines_of(before.text), lines_of(after.text)):
        if tag == "equal":
            lines.update({first + offset + 1: start + offset + 1 for offset in range(end - start)})
    return [
        (comment, unused[lines[comment.line]])
        for comment in after.suppressions.comments
        if lines.get(comment.line) in unused
    ]
