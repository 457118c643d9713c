"""Which rank a line is about, if its prefix does not say so. The number inside a message is that within a group."""

from __future__ import annotations

import re

from ddplint.job.triage.reading.lines import Line
from ddplint.job.triage.reading.waits import group_of

_INSIDE = re.compile(
    r"\[[Rr]anks?[ :] ?(\d{1,7})(?:-(\d{1,7}))?\]|[ \[][Rr]ank (\d{1,7})\]|\bon [Rr]ank:? (\d{1,7})"
    r"|RankID:(\d{1,7})|aborted on rank (\d{1,7})|\[(\d{1,7})\] is setting up NCCL"
    r"|(?:Error|Exception): \[?[Rr]ank (\d{1,7})\]?:|(?<=\S) rank=(\d{1,7})\s*$"
)
_OF_ERROR = re.compile(r"(?:Error|Exception): \[?[Rr]ank (\d{1,7})\]?:")
_WIDEST = 4096


def named_in(text: str) -> int | None:
    """The rank that the message of an error begins with, as programs write it that check their own numbers."""
    found = _OF_ERROR.search(text)
    return int(found[1]) if found else None


class Ranks:
    """Learns from lines that have both which number within a group is which global rank."""

    def __init__(self, apart: set[str]) -> None:
        self.apart = apart
        self.members: dict[str, dict[int, set[int]]] = {}
        self.differ: set[str] = set()
        self.last: tuple[str, int, int | None] = ("", -9, None)

    def of(self, line: Line) -> list[int | None]:
        """The ranks that a line is about; one that nobody knows is ``None``."""
        found = _INSIDE.search(line.text)
        inside = next((number for number in found.groups() if number), None) if found else None
        if found is None or inside is None:
            return [line.rank if line.rank is not None else self._line_before(line)]
        first, last = int(inside), int(found[2] or inside)
        group = group_of(line.text)
        if line.rank is not None:
            self._learn(group, first, line.rank)
            return [line.rank]
        if found[5]:
            self.last = (line.stream, line.number, first)
        if not first <= last <= first + _WIDEST:
            return [None]
        return [self._known(group, rank) for rank in range(first, last + 1)]

    def _learn(self, group: str, inside: int, rank: int) -> None:
        self.members.setdefault(group, {}).setdefault(inside, set()).add(rank)
        if inside != rank:
            self.differ.add(group)
        if group and len(self.members[group][inside]) > 1:
            self.apart.add(group)

    def _known(self, group: str, inside: int) -> int | None:
        if group not in self.differ:
            return inside
        told = self.members[group].get(inside, set())
        return next(iter(told)) if len(told) == 1 else None

    def _line_before(self, line: Line) -> int | None:
        """The rank of a line that a message of several lines began with."""
        stream, number, rank = self.last
        return rank if stream == line.stream and line.number - number <= 2 else None
