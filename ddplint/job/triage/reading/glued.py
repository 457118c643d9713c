"""Records that a terminal or a paste put on one line: each is read by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

_BEGINS = re.compile(
    r"(?<=\S)[ \t]*(?="
    r"[WEIF]\d{4} \d\d:\d\d:\d{2,10}\.\d+ {1,8}\d+ \S+:\d+\] "
    r"|(?:WARNING|ERROR|INFO):torch\.\w"
    r"|\[rank\d+\]:\[[EWIF]"
    r"|\[[EF] \w+\.cpp:\d+\] )"
    r"|(?<=[^\s\]|>:-])(?=Traceback \(most recent call last\))"
    r"|(?<=[a-z]\])(?=Traceback \(most recent call last\))"
    r"|(?<!Error)(?<!Exception)(?<!Interrupt)[ \t]{3,}(?=Traceback \(most recent call last\))"
    r"|(?<=\S)[ \t]{3,}(?=\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[.,]\d+ )"
)
_TOLD = re.compile(r"[A-Za-z]{3,}[^\]\[)(]*\s\S|\d%|\d/\d+ \[|it/s|s/it")
"""What a record has and a prefix has not: words, or a bar of progress."""
_MARKS = ("   20", ".cc:", "Traceback (most", ":torch.", "]:[", "[E ", "[F ", ".py:")
"""Texts of which a second record has one; most lines have none, and are not looked at closer."""


def records(text: str) -> Iterator[str]:
    """The records of a line, most often one. A prefix stays with what it stands before."""
    if not any(mark in text for mark in _MARKS):
        yield text
        return
    start = 0
    for cut in _BEGINS.finditer(text):
        if not _is_prefix(text[start : cut.start()]):
            yield text[start : cut.start()]
            start = cut.end()
    yield text[start:]


def _is_prefix(text: str) -> bool:
    """Whether there is nothing but what a launcher or a clock puts before a line."""
    return not _TOLD.search(text)
