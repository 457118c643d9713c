"""Code in the page: the lines that matter, in colour, with the exact ranges marked and what is said under them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from itertools import pairwise

from ddplint.findings.model import Finding, Place
from ddplint.report.page.colours import Stretch, coloured
from ddplint.source.file import SourceFile
from ddplint.util.ranges import Range

_AROUND = 2
"""Lines of code shown above and below those that matter."""
_MOST_LINES = 8
"""Lines of one range that are marked."""


@dataclass(frozen=True)
class _Mark:
    place: Place
    text: str
    role: str

    @property
    def range(self) -> Range:
        return self.place.range


def snippets(finding: Finding) -> Iterator[str]:
    """The places of a finding, file by file, its own file first."""
    marks = [_Mark(finding.place, finding.message, "own"), *(_Mark(n.place, n.text, n.role) for n in finding.notes)]
    for path in dict.fromkeys(mark.place.file.path for mark in marks):
        mine = [mark for mark in marks if mark.place.file.path == path]
        lines = "".join(_lines(mine[0].place.file, mine))
        yield (
            f'<figure class="code"><figcaption>{plain(path)}</figcaption>'
            f'<div class="lines" role="group" aria-label="Code of {plain(path)}">{lines}</div></figure>'
        )


def plain(text: str) -> str:
    """``text`` for the page; control characters are replaced."""
    return escape("".join(char if char.isprintable() or char == "\t" else "\N{REPLACEMENT CHARACTER}" for char in text))


def _lines(file: SourceFile, marks: Sequence[_Mark]) -> Iterator[str]:
    colours = _coloured(file)
    said: dict[int, list[_Mark]] = {}
    for mark in sorted(marks, key=lambda one: (one.range.start_line, one.role == "own", one.range.start_col)):
        if mark not in said.setdefault(mark.range.start_line, []):
            said[mark.range.start_line].append(mark)
    near = {near for line in said for near in range(line - _AROUND, line + _AROUND + 1)}
    before = 0
    for number in _without_blank_ends([one for one in sorted(near) if 1 <= one <= len(file.lines)], file):
        if before and number > before + 1:
            yield '<div class="cut" aria-hidden="true">⋮</div>'
        before = number
        code = _code(file.lines[number - 1], colours.get(number, ()), _ranges(number, file, marks))
        yield f'<div class="line"><span class="number">{number}</span><code>{code or " "}</code></div>'
        yield from (_remark(mark) for mark in said.get(number, ()))


def _without_blank_ends(numbers: Sequence[int], file: SourceFile) -> Sequence[int]:
    written = [place for place, number in enumerate(numbers) if file.lines[number - 1].strip()]
    return numbers[written[0] : written[-1] + 1] if written else numbers


@lru_cache(maxsize=64)
def _coloured(file: SourceFile) -> Mapping[int, list[Stretch]]:
    return coloured(file)


def _remark(mark: _Mark) -> str:
    text = mark.text
    if mark.role in ("call", "caller"):
        text = f"in {mark.text}" if mark.role == "call" else f"{mark.text} calls this"
    return f'<p class="said {mark.role}">{plain(text)}</p>' if text else ""


def _ranges(number: int, file: SourceFile, marks: Iterable[_Mark]) -> list[Stretch]:
    """What of a line is marked; of long ranges the first lines."""
    found = []
    for mark in marks:
        where = mark.range
        last = min(where.end_line, where.start_line + _MOST_LINES)
        if not where.start_line <= number <= last:
            continue
        line = file.lines[number - 1]
        start = where.start_col - 1 if number == where.start_line else len(line) - len(line.lstrip())
        end = where.end_col - 1 if number == where.end_line else len(line.rstrip())
        found.append((start, max(end, start + 1), "own" if mark.role == "own" else "noted"))
    return found


def _code(line: str, colours: Sequence[Stretch], marks: Sequence[Stretch]) -> str:
    """The line with its colours and marks: cut wherever one of them begins or ends."""
    ends = {0, len(line)} | {min(max(one, 0), len(line)) for stretch in (*colours, *marks) for one in stretch[:2]}
    cuts = sorted(ends)
    parts = []
    for start, end in pairwise(cuts):
        text = plain(line[start:end])
        names = [name for first, last, name in (*colours[:200], *marks) if first <= start and end <= last]
        if "own" in names or "noted" in names:
            kind = "own" if "own" in names else "noted"
            others = " ".join(name for name in names if name not in ("own", "noted"))
            inside = f'<span class="{others}">{text}</span>' if others else text
            parts.append(f'<mark class="{kind}">{inside}</mark>')
        else:
            parts.append(f'<span class="{" ".join(names)}">{text}</span>' if names else text)
    return "".join(parts)
