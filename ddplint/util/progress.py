"""How far a run is: a line on the terminal, for runs that take long only, and which files took longest."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TextIO

_AFTER = 2.0
"""Seconds until the first line."""
_EVERY = 0.1
_LONG = 2.0
"""Seconds that a file takes before it is named."""
_NAMED = 3
"""Files that the note at the end names."""
_WORTH = 10.0
"""Seconds that a run takes before it has such a note."""


class Progress:
    """Writes ``12/345 files, 4 s in src/model.py`` over and over to a terminal; to anything else nothing.

    Parameters: ``stream``, where to; ``None`` for nowhere.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream if stream is not None and stream.isatty() else None
        self._began = time.monotonic()
        self._due = self._began + _AFTER
        self._shown = False
        self._done, self._total = 0, 0
        self._under_way: dict[str, float] = {}
        self.seconds: dict[str, float] = {}
        """How long each file took that was walked in this run."""

    def under_way(self, paths: Iterable[str]) -> None:
        """Tell which files are looked at now."""
        now = time.monotonic()
        self._under_way = {path: self._under_way.get(path, now) for path in paths}

    def took(self, path: str, seconds: float) -> None:
        """Tell how long a file took."""
        self.seconds[path] = self.seconds.get(path, 0.0) + seconds

    def __call__(self, done: int, total: int) -> None:
        """Say that ``done`` of ``total`` files are checked; with the last one the line goes away."""
        self._done, self._total = done, total
        if done < total:
            self.tick()
        elif self._shown and self._stream is not None:
            self._shown = False
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def tick(self) -> None:
        """Write the line where it is time to; call this now and then while a file takes long."""
        now = time.monotonic()
        if self._stream is None or now < self._due or self._done >= self._total > 0:
            return
        self._due, self._shown = now + _EVERY, True
        self._stream.write(f"\r\x1b[K{self._line(now)}")
        self._stream.flush()

    def _line(self, now: float) -> str:
        line = f"{self._done}/{self._total} files" if self._total else "reading"
        path, since = min(list(self._under_way.items()), key=lambda one: one[1], default=("", now))
        return f"{line}, {now - since:.0f} s in {_short(path)}" if now - since >= _LONG else line

    def note(self) -> str:
        """One line about the slowest files of a run that took long; else nothing."""
        took = time.monotonic() - self._began
        named = slowest(self.seconds) if took >= _WORTH else ""
        return f"{took:.0f} s; slowest: {named}" if named else ""


def _short(path: str) -> str:
    return path if len(path) <= 60 else f"…{path[-59:]}"


def slowest(seconds: dict[str, float]) -> str:
    """``src/model.py 12 s, src/loss.py 4 s``: the files that took longest, of those that took a second or more."""
    named: Iterable[tuple[str, float]] = sorted(seconds.items(), key=lambda one: -one[1])[:_NAMED]
    return ", ".join(f"{path} {took:.0f} s" for path, took in named if took >= 1)
