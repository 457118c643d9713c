"""What a logger puts before each line, learned from where a traceback begins or a frame stands in it.

No list of loggers is complete; but a traceback's own lines begin in known ways, so what stands before them is none of
theirs. Numbers in it (times, process ids) may change from line to line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_TRACEBACK = "Traceback (most recent call last)"
_FRAME = re.compile(r'(\S.{2,158}?\S ?)(?=  File "[^"]+", line \d+)')
_ENDS = ("]", "|", ":", ">", "-")
_MOST = 16
_LONGEST = 160


@dataclass
class Headers:
    """Patterns of what stood before lines of tracebacks in one log."""

    known: dict[str, re.Pattern[str]] = field(default_factory=dict)
    guessed: dict[str, re.Pattern[str]] = field(default_factory=dict)
    """What stood before the head of a traceback, until the line behind begins alike, or does not."""

    def without(self, text: str) -> str:
        """``text`` without what its logger put before it, as far as that is known."""
        if self.guessed:
            self.known.update((shape, pattern) for shape, pattern in self.guessed.items() if pattern.match(text))
            self.guessed.clear()
        if _TRACEBACK in text:
            head = text[: text.index(_TRACEBACK)]
            self._learn(head, self.guessed)
            return text[len(head) :] if self.guessed else self._stripped(text)
        if 'File "' in text and (frame := _FRAME.match(text)):
            self._learn(frame[1], self.known)
        return self._stripped(text)

    def _stripped(self, text: str) -> str:
        for pattern in self.known.values():
            if found := pattern.match(text):
                return text[found.end() :]
        return text

    def _learn(self, head: str, among: dict[str, re.Pattern[str]]) -> None:
        if not 3 <= len(head) <= _LONGEST or not head.rstrip().endswith(_ENDS) or not re.search(r"\d", head):
            return
        shape = re.sub(r"\d+", r"\\d+", re.escape(head.rstrip()))
        if shape not in self.known and len(self.known) < _MOST:
            among[shape] = re.compile(shape + r" ?")
