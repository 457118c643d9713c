"""How far a run is: a line on the terminal, for runs that take long only."""

from __future__ import annotations

import time
from typing import TextIO

__all__ = ["Progress"]

_AFTER = 2.0
"""Seconds until the first line."""
_EVERY = 0.1


class Progress:
    """Writes ``12/345 files`` over and over to a terminal; to anything else nothing."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._due = time.monotonic() + _AFTER if stream.isatty() else float("inf")
        self._shown = False

    def __call__(self, done: int, total: int) -> None:
        """Tell that ``done`` of ``total`` files are checked; with the last one the line goes away."""
        now = time.monotonic()
        if done < total and now < self._due:
            return
        if done < total:
            self._due, self._shown = now + _EVERY, True
            self._stream.write(f"\r\x1b[K{done}/{total} files")
        elif self._shown:
            self._shown = False
            self._stream.write("\r\x1b[K")
        self._stream.flush()
