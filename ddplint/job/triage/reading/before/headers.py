"""What a logger puts before each line, learned from where a traceback begins or a frame stands in it.

No list of loggers is complete; but a traceback's own lines begin in known ways, so what stands before them is none of
theirs. Numbers in it (times, process ids) may change from line to line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_TRACEBACK = "Traceback (most recent call last)"
_FRAME = re.compile(r'(\S.{0,158}?[ \t]?)(?=  File "[^"]+", line \d+)')
_NEXT = re.compile(r'\s+File "[^"]+", line \d+')
_RANK = re.compile(r"\brank\W{0,2}(\d{1,7})\b", re.IGNORECASE)
_MARKED = re.compile(r"> ?")
"""What loguru puts before the frame in question, which is no logger's."""
_TIME = re.compile(r"\d\d:\d\d|^\d+[.,]?\d*s?\s")
_WORDS = re.compile(r"[A-Za-z][A-Za-z ,.']*")
_LEVEL = re.compile(r"DEBUG|INFO|WARN(?:ING)?|ERROR|CRITICAL|FATAL")
_ENDS = ("]", "|", ":", ">", "-", ")")
_MOST = 16
_LONGEST = 160


@dataclass
class Head:
    """What was taken off a line: the text, the rank that it names, and whether it tells a process from others."""

    text: str = ""
    rank: int | None = None
    names: bool = False


@dataclass
class Headers:
    """Patterns of what stood before lines of tracebacks in one log, and whether each process has its own text there."""

    known: dict[str, tuple[re.Pattern[str], bool]] = field(default_factory=dict)
    guessed: tuple[str, str] | None = None
    """What stood before the head of a traceback, as shape and text, until a frame stands behind it, or does not."""

    def without(self, text: str) -> tuple[str, Head]:
        """``text`` without what its logger put before it, as far as that is known."""
        if self.guessed:
            self._confirm(text)
        if _TRACEBACK in text:
            head = text[: text.index(_TRACEBACK)]
            shape = _shape(head)
            if shape and shape not in self.known:
                self.guessed = (shape, head)
                if head.rstrip().endswith(_ENDS) and re.search(r"\d", head):
                    return text[len(head) :], _head(head, not _TIME.search(head))
                return text, Head()
            return self._stripped(text)
        if 'File "' in text and (frame := _FRAME.match(text)) and not _MARKED.fullmatch(frame[1]):
            shape = _shape(frame[1])
            if shape and shape not in self.known and len(self.known) < _MOST:
                self.known[shape] = (re.compile(shape), False)
        return self._stripped(text)

    def _confirm(self, text: str) -> None:
        """A head is one if the frame behind it follows a text of the same shape."""
        shape, head = self.guessed or ("", "")
        self.guessed = None
        pattern = re.compile(shape)
        found = pattern.match(text)
        if found and _NEXT.match(text, found.end()) and len(self.known) < _MOST:
            own = found[0] == head and bool(re.search(r"\d", head)) and not _TIME.search(head)
            self.known[shape] = (pattern, own)

    def _stripped(self, text: str) -> tuple[str, Head]:
        for pattern, names in self.known.values():
            if found := pattern.match(text):
                return text[found.end() :], _head(found[0], names)
        return text, Head()


def _shape(head: str) -> str:
    """A pattern of what stands before a line, with any numbers; empty where that is nothing, or words."""
    plain = head.rstrip()
    if not plain or len(head) > _LONGEST or (_WORDS.fullmatch(plain) and not _LEVEL.fullmatch(plain)):
        return ""
    blanks = re.escape(head[len(plain) :])
    return re.sub(r"\d+", r"\\d+", re.escape(plain)) + (f"(?:{blanks})?" if blanks else "")


def _head(text: str, names: bool) -> Head:
    found = _RANK.search(text)
    return Head(text.strip(), int(found[1]) if found else None, names)
