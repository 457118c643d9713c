"""Suppression comments put into a text and taken out of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from ddplint.findings.model import Finding
from ddplint.source.file import SourceFile
from ddplint.source.suppressions import Suppression, bearing_lines

WIDTH = 88
"""Columns of a line up to which a comment is put at its end; otherwise it gets the line above."""

_LINES = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_BRACKETS = re.compile(r"(ignore(?:-file)?\s*\[)([^\]]*)(\])")


def with_ignores(file: SourceFile, findings: Iterable[Finding], reason: str) -> str:
    """The text with a comment for each of ``findings``, at its statement or at the head of its block."""
    return placed(file, findings, reason)[0]


def placed(file: SourceFile, findings: Iterable[Finding], reason: str) -> tuple[str, dict[int, int]]:
    """The text with comments, and for the last line of each statement the line that its comment is on now.

    A comment stands at the end of that line, or above the statement where the line would get too long.
    """
    wanted: dict[int, tuple[range, list[str]]] = {}
    for finding in findings:
        span = bearing_lines(file, finding.place.node)
        codes = wanted.setdefault(span[-1], (span, []))[1]
        if finding.code not in codes:
            codes.append(finding.code)
    lines = _LINES.findall(file.text)
    comments = {one.line: one for one in file.suppressions.comments if not one.whole_file}
    above: dict[int, list[int]] = {}
    for number, (span, codes) in wanted.items():
        added = _added(lines[number - 1], sorted(codes), reason, comments.get(number))
        if len(added.rstrip()) <= WIDTH or number in comments:
            lines[number - 1] = added
        else:
            lines[span[0] - 1] = _line_above(lines[span[0] - 1], sorted(codes), reason) + lines[span[0] - 1]
            above.setdefault(span[0], []).append(number)
    return "".join(lines), {number: _now(number, wanted[number][0], above) for number in wanted}


def _line_above(line: str, codes: Sequence[str], reason: str) -> str:
    body, end = _split(line)
    indent = body[: len(body) - len(body.lstrip())]
    return f"{indent}# ddplint: ignore[{', '.join(codes)}] {reason}".rstrip() + (end or "\n")


def _now(number: int, span: range, above: Mapping[int, Sequence[int]]) -> int:
    """Where the comment of the statement ``span`` is, after comments were put above some lines."""
    put_above = number in above.get(span[0], ())
    last = span[0] - 1 if put_above else number
    return (last + 1 if put_above else number) + sum(len(put) for first, put in above.items() if first <= last)


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
    from ddplint.fixing.edit.diff import line_opcodes, lines_of

    lines: dict[int, int] = {}
    for tag, start, end, first, _ in line_opcodes(lines_of(before.text), lines_of(after.text)):
        if tag == "equal":
            lines.update({first + offset + 1: start + offset + 1 for offset in range(end - start)})
    return [
        (comment, unused[lines[comment.line]])
        for comment in after.suppressions.comments
        if lines.get(comment.line) in unused
    ]
