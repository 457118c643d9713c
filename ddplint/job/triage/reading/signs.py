"""Lines that stand for a kind of cause."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator

from ddplint.job.triage.facts import Sign
from ddplint.job.triage.reading.lines import Line
from ddplint.job.triage.reading.numbers import listed, whole
from ddplint.job.triage.reading.stacks import raised
from ddplint.job.triage.wordings.around import ERROR, GRAVE, NOT_POSSIBLE, OUTSIDE, UNDERSTOOD_BY_NOBODY
from ddplint.job.triage.wordings.table import ROWS, follows

_LEVEL = re.compile(
    r"\[?([EWIF])(?:\d{3,4})? ?[\d:. ]*[\w/]+\.(?:cpp|hpp|py|cc)|\b(WARNING|WARN|INFO|DEBUG)\b|\b[A-Z]\w*(Warning): "
)
_OURS = re.compile(r"distributed_runtime|NCCL|nccl|ProcessGroup|c10d|gloo|TCPStore|torch[./]distributed")
_ABOUT_OTHERS = (
    "closed",
    "connect",
    "address",
    "port",
    "store",
    "remote",
    "socket",
    "error",
    "stop",
    "preempted",
)
_LONGEST = 1000
_RAN = next(pattern for kind, pattern in ROWS if kind == "ran")
_REPEATED = re.compile(r"\bretry(?:ing)?\b|will retry|skipp(?:ed|ing)|\bcaught\b|\bignor(?:ed|ing)\b", re.IGNORECASE)


def level_of(text: str) -> str:
    """How grave a line calls itself: ``E``, ``W``, ``I``, or empty where it does not say."""
    found = _LEVEL.search(text, 0, 200)
    if found is None or "NCCL WARN" in text:  # which is how NCCL calls its errors
        return ""
    return found[1] or {"INFO": "I", "DEBUG": "I"}.get(found[2] or "", "W")


def signs_of(line: Line, rank: int | None) -> Iterator[Sign]:
    """What the rows of the tables see in a line, at most one; an error that no row knows is one as well."""
    text = line.text[:8000]
    for kind, pattern in ROWS:
        found = pattern.search(text)
        if found is None:
            continue
        if _outside(kind, text):
            return
        kind = "echo" if kind == "abort" and follows(text) else kind
        if kind != "ran" and _RAN.search(text):
            yield Sign("ran", text.strip()[:200], rank, where=line.where)
        named = found.groupdict()
        yield Sign(
            kind,
            text.strip()[:_LONGEST],
            whole(named.get("rank")) if named.get("rank") else rank,
            listed(named.get("ranks")),
            line.where,
            level="W" if kind != "actor" and _REPEATED.search(text) else "" if kind == "actor" else level_of(text),
            number=_number(named),
            world=whole(named.get("world")) or 0,
        )
        return
    if "NCCL WARN " in text:
        yield Sign("nccl-warn", text.strip()[:_LONGEST], rank, where=line.where)
        return
    outside = _outside("error", text) and not raised(text)
    if ERROR.search(text) and not outside:
        kind = "echo" if follows(text) else "error"
        yield Sign(kind, text.strip()[:_LONGEST], rank, (), line.where, level=level_of(text))
    elif GRAVE.search(text) and not outside:
        yield Sign("grave", text.strip()[:_LONGEST], rank, (), line.where, level="E")
    elif UNDERSTOOD_BY_NOBODY.search(text) and "NCCL operations" not in text and not outside:
        yield Sign("not-understood", text.strip()[:_LONGEST], rank, (), line.where, level=level_of(text))
    elif NOT_POSSIBLE.search(text) and not outside:
        yield Sign("not-possible", text.strip()[:_LONGEST], rank, (), line.where, level=level_of(text))


def _number(named: dict[str, str | None]) -> int | None:
    """The number that a wording holds; a signal is a negative exit code."""
    if named.get("signal"):
        told = str(named["signal"])
        return -(whole(told) or int(getattr(signal, told, 0)))
    return next((whole(named[key]) for key in ("number", "count", "code", "seconds") if named.get(key)), None)


def _outside(kind: str, text: str) -> bool:
    """Whether a line is about a service that is no part of the job."""
    return kind in _ABOUT_OTHERS and bool(OUTSIDE.search(text)) and not _OURS.search(text)
