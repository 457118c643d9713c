"""Lines that a terminal cut at its width, so that the next one begins in the middle of a word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

_NARROW, _WIDE = 60, 400
_LEAST = 3
_MOST_JOINED = 40
_FRESH = re.compile(rb"\[|\d{4}-\d\d-|[\w.-]+:\d+:\d+ \[\d+\] |Traceback \(most| +File \"")
"""How lines begin that were not cut: the one before was just as long as the longest."""
_COLUMN = re.compile(rb"\S {3,}(?=\S)")


def width_of(lines: Sequence[bytes]) -> int:
    """The width at which lines were cut: the length that several of the longest have, none being longer; else 0."""
    lengths = Counter(len(line.rstrip(b"\r")) for line in lines if not _drawn(line))
    longest = max(lengths, default=0)
    return longest if _NARROW <= longest <= _WIDE and lengths[longest] >= _LEAST else 0


def unwrapped(lines: Sequence[bytes], number: int, width: int) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers (that of the first is ``number``), those that were cut put together again."""
    whole, begun, joined = b"", number, 0
    for index, line in enumerate(lines, number):
        plain = line.rstrip(b"\r")
        if not whole:
            begun, joined = index, 0
        full = bool(width) and len(plain) == width and not plain.endswith(b"  ")  # which is filled up, not cut
        follows = lines[index - number + 1] if full and index - number + 1 < len(lines) else b""
        fresh = full and (bool(_FRESH.match(follows)) or _alike(plain, follows) or _of_table(plain, follows))
        cut = full and not _drawn(plain) and joined < _MOST_JOINED and not fresh
        if cut:
            whole, joined = whole + plain, joined + 1
            continue
        yield begun, whole + line
        whole = b""
    if whole:
        yield begun, whole


def _alike(line: bytes, follows: bytes) -> bool:
    """Whether two lines begin with the same word, as records of one logger do."""
    word = line.split(b" ", 1)[0]
    return len(word) > 3 and follows.startswith(word + b" ")


def _of_table(line: bytes, follows: bytes) -> bool:
    """Whether two lines are rows of one table: its columns begin at the same places."""
    columns = [{found.end() for found in _COLUMN.finditer(row)} for row in (line, follows)]
    return len(columns[0] & columns[1]) > 1


def _drawn(line: bytes) -> bool:
    """Whether a line is a rule or the side of a box, which are as long as they were meant to be."""
    return len(set(line.strip())) < 6 or "│".encode() in line or "─".encode() in line
