"""What a terminal can show: colours, box characters, wide characters, long lines."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO

TAB = 4
_COLOURS = {"bold": "1", "dim": "2", "red": "1;31", "yellow": "1;33", "cyan": "36", "blue": "1;34", "green": "32"}


@dataclass(frozen=True)
class Style:
    """How to draw: with colours or not, with box characters or plain ASCII, and at most how wide (columns)."""

    colour: bool = False
    unicode: bool = True
    width: int = 120

    def paint(self, text: str, colour: str) -> str:
        """``text`` in a colour, where colours are on."""
        return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if self.colour and text else text

    @property
    def bar(self) -> str:
        """The line between the numbers and the code."""
        return "│" if self.unicode else "|"

    @property
    def thin(self) -> str:
        """The underline of a note."""
        return "─" if self.unicode else "-"

    @property
    def thick(self) -> str:
        """The underline of the finding itself."""
        return "━" if self.unicode else "^"

    @property
    def right(self) -> str:
        """The arrow of a chain of calls."""
        return "→" if self.unicode else "->"

    @property
    def times(self) -> str:
        """Between a number and what there are so many of."""
        return "×" if self.unicode else "x"

    @property
    def left(self) -> str:
        """The arrow of a remark."""
        return "←" if self.unicode else "<-"

    @property
    def dots(self) -> str:
        """What stands for code that was cut away."""
        return "…" if self.unicode else "..."

    def sayable(self, text: str) -> str:
        """``text`` with the box characters of rules' messages in ASCII where only that can be shown."""
        return text if self.unicode else text.replace("→", "->").replace("←", "<-").replace("…", "...")


def style_for(stream: TextIO, environ: Mapping[str, str] = os.environ) -> Style:
    """The style that suits an output stream; ``NO_COLOR`` and ``FORCE_COLOR`` in ``environ`` decide about colours."""
    terminal = stream.isatty()
    if environ.get("NO_COLOR"):
        colour = False
    elif environ.get("FORCE_COLOR"):
        colour = environ["FORCE_COLOR"] != "0"
    else:
        colour = terminal and environ.get("TERM") != "dumb"
    width = _columns(environ) if terminal else 120
    return Style(colour, _can_draw(stream), max(width, 60))


def display(text: str) -> list[tuple[str, int]]:
    """Each character of a source line as it is shown, with the columns it takes: tabs opened, controls made visible."""
    cells: list[tuple[str, int]] = []
    column = 0
    for char in text:
        shown, width = _cell(char, column)
        cells.append((shown, width))
        column += width
    return cells


def width_of(text: str) -> int:
    """The columns ``text`` takes."""
    return sum(width for _, width in display(text))


def clip(cells: list[tuple[str, int]], start: int, end: int, width: int) -> tuple[int, int]:
    """The part ``[first, last)`` of a line to show: ``width`` columns at most, with ``[start, end)`` in it."""
    if sum(columns for _, columns in cells) <= width:
        return 0, len(cells)
    first = last = min(start, len(cells))
    room = width
    while last < min(end, len(cells)) and cells[last][1] <= room:
        room -= cells[last][1]
        last += 1
    while room > 0 and (first > 0 or last < len(cells)):
        if first > 0:
            first, room = first - 1, room - cells[first - 1][1]
        if room > 0 and last < len(cells):
            last, room = last + 1, room - cells[last][1]
    return first, last


def _cell(char: str, column: int) -> tuple[str, int]:
    if char == "\t":
        width = TAB - column % TAB
        return " " * width, width
    kind = unicodedata.category(char)
    if kind in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        return ("", 0) if char in "\u200d\ufe0f" else ("\N{REPLACEMENT CHARACTER}", 1)
    if kind in ("Mn", "Me"):
        return char, 0
    return char, 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _columns(environ: Mapping[str, str]) -> int:
    import shutil

    wanted = environ.get("COLUMNS", "")
    return int(wanted) if wanted.isdigit() and int(wanted) else shutil.get_terminal_size((120, 24)).columns


def _can_draw(stream: TextIO) -> bool:
    try:
        "│─━→←…".encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
