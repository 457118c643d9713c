"""A launch file as text: stretches of it as places, and fixes that replace stretches."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from ddplint.findings.detached import Replacement, SettledFix, SettledPlace, at
from ddplint.findings.model import Fix, Safety
from ddplint.source.file import SourceFile
from ddplint.source.suppressions import COMMENT, Suppression, Suppressions, odd_comment, remark_without_codes
from ddplint.util.ranges import Range

_LINE = re.compile("\r\n|\n|\r")


class LaunchSource(SourceFile):
    """A file that is not Python. Offsets count the characters of its text from 0."""

    is_launch = True

    def with_text(self, text: str) -> LaunchSource:
        """The same file with another text. Raises ``UnicodeEncodeError`` where its encoding lacks a character."""
        return LaunchSource(self.path, self.encode(text))

    def spot(self, start: int, end: int) -> SettledPlace:
        """A stretch of the text as a place.

        A comment speaks for it on any of its lines, and on a line of its own right above.
        """
        span = Range(*self._point(start), *self._point(end))
        heads = set(range(span.start_line, span.end_line + 1))
        above = span.start_line - 1
        if above >= 1 and self.lines[above - 1].lstrip().startswith("#"):
            heads.add(above)
        return at(self, span, "", self.text[start:end], sorted(heads))

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and column, both counted from 1."""
        return self._starts[line - 1] + column - 1

    @cached_property
    def suppressions(self) -> Suppressions:
        """The ``# ddplint: ignore[...]`` comments of the file; for the whole file above everything else."""
        found: list[Suppression] = []
        remarks: list[tuple[int, str]] = []
        head = True
        for number, line in enumerate(self.lines, 1):
            match = COMMENT.search(line) if "ddplint:" in line else None
            alone = line.lstrip().startswith("#")
            head = head and (alone or not line.strip())
            if match is None:
                odd = odd_comment(line) if "#" in line else ""
                remarks += [(number, odd)] if odd else []
                continue
            codes = tuple(code.strip() for code in (match["codes"] or "").split(",") if code.strip())
            whole = match["verb"] == "ignore-file"
            if not codes:
                remarks.append((number, remark_without_codes(match["verb"])))
            elif whole and not head:
                remarks.append((number, "'ignore-file' must stand alone, above everything else"))
            else:
                found.append(Suppression(number, codes, match["reason"].strip(), whole, match.start() + 1))
        return Suppressions(tuple(found), tuple(remarks))

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in _LINE.finditer(self.text))]

    def _point(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


def replacing(title: str, safety: Safety, *changes: tuple[SettledPlace, str]) -> Fix:
    """A fix that puts a text in each of the places."""
    from ddplint.findings.places import place_record

    records = tuple(
        {"kind": "replace", "path": place.file.path, "place": place_record(place), "text": text}
        for place, text in changes
    )
    replaced = tuple(Replacement(place.file, place.span, text) for place, text in changes)
    return SettledFix(title, safety, (), (), records, replaced)


def with_changes(file: LaunchSource, changes: tuple[Replacement, ...]) -> LaunchSource:
    """The file with the replacements carried out. Raises ``UnicodeEncodeError``."""
    text = file.text
    for change in sorted(changes, key=lambda one: one.range, reverse=True):
        start = file.offset(change.range.start_line, change.range.start_col)
        end = file.offset(change.range.end_line, change.range.end_col)
        text = text[:start] + change.text + text[end:]
    return file.with_text(text)
