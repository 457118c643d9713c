"""What tools that search, show or quote files put before each line: its file and number, or the mark of a quotation."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

_OF_FILE = re.compile(
    r"((?:[A-Za-z]:)?[^\s:()\[\]]{0,200}\.(?:log|out|err|txt|stdout|stderr))(?::(\d{1,9}):|-(\d{1,9})-|:)"
)
_SHAPES = (
    re.compile(r"(\d{1,9})[:-]"),
    re.compile(r"\[(\d{1,9})\](?: |$)"),
    re.compile(r" *(\d{1,9})(?:\t| ?\| )"),
    re.compile(r" *(\d{1,9})(?:  ?(?=\S)|$)"),
)
"""``grep -n``, consoles, ``cat -n`` and editors, ``less -N``; the number that counts is group 1."""
_QUOTED = re.compile(r"> ?")
_COUNTED = _SHAPES[1:]
"""Those of tools that leave no line out: numbers that jump are something else's."""
_LEAST = 3
_MOST = 400


@dataclass
class Numbered:
    """How the lines of one log are numbered. ``file`` is the one that the line read last came from."""

    shape: re.Pattern[str] | None = None
    file: str = ""

    @classmethod
    def of(cls, lines: list[str]) -> Numbered:
        """The numbering that these lines, the first of a log, have in common."""
        told = [line for line in lines if line.strip() and line.strip() != "--"][:_MOST]
        if len(told) > _LEAST and not any(shape.match(told[0]) for shape in _SHAPES):
            told = told[1:]  # where the log was cut
        if told and all(_OF_FILE.match(line) for line in told):
            return cls(_OF_FILE)
        if len(told) >= _LEAST and all(_QUOTED.match(line) for line in told):
            return cls(_QUOTED)
        for shape in _SHAPES:
            found = [match for match in map(shape.match, told) if match]
            if len(found) == len(told) >= _LEAST and _rises(found, shape):
                return cls(shape)
        return cls()

    def without(self, text: str) -> str:
        """``text`` without file and number."""
        found = self.shape.match(text) if self.shape else None
        if found is None:
            return text
        if self.shape is _OF_FILE:
            self.file = found[1]
        return text[found.end() :]


def _rises(found: list[re.Match[str]], shape: re.Pattern[str]) -> bool:
    """Whether the numbers are those of lines: each is greater than the one before, and by how much the tool allows.

    Slurm puts the number of a task before a line in the way of ``grep``, with a blank behind it.
    """
    numbers = [int(match[1]) for match in found]
    steps = [after - before for before, after in itertools.pairwise(numbers)]
    if shape in _COUNTED:
        return all(step == 1 for step in steps)
    return all(step > 0 for step in steps) and any(match.string[match.end() :][:1] not in ("", " ") for match in found)
