"""Logs as a stream of lines: of any length and encoding, without what launchers put before each line."""

from __future__ import annotations

import gzip
import json
import re
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from ddplint.job.triage.reading.before.grouped import Grouped
from ddplint.job.triage.reading.before.headers import Headers
from ddplint.job.triage.reading.before.numbered import Numbered
from ddplint.job.triage.reading.before.prefixes import Prefix, stripped, usual_name
from ddplint.job.triage.reading.glued import records
from ddplint.job.triage.reading.numbers import time_of
from ddplint.job.triage.reading.wrapped import unwrapped, width_of
from ddplint.job.triage.wordings.table import loud

LONGEST = 1 << 16
"""Bytes of a line that are looked at; the rest of it is skipped without being held."""

_SHOWN = 8000
"""Characters of a line that are read, its beginning and its end: no message is longer, and patterns stay fast."""

_CHUNK = 1 << 20
_MARKS = re.compile(rb"\[(?:rank|default)\d+\]|\[(?:\d+,)?(?:mpirank:)?\d+(?:,[\w.-]{1,62})?\]<std")
_FILE_RANK = re.compile(r"(?:rank|worker|task|proc)[-_.]?(\d{1,5})(?=\D|$)", re.IGNORECASE)
_ATTEMPT = re.compile(r"attempt_(\d{1,4})/(\d{1,5})/std(?:out|err)\.log")
_ESCAPED = "Traceback (most recent call last):\\n"
"""A traceback within a string of a record that is spread over lines, as torchelastic writes it."""
_JSON_TEXT = ("log", "message", "msg", "text", "line", "event", "textPayload")
_JSON_MORE = ("exc_info", "exception", "stack_trace", "traceback", "stack")
_JSON_RANK = ("global_rank", "rank")


@dataclass(frozen=True)
class Line:
    """One line without its prefixes. ``stream`` tells apart what is written by different processes into one file.

    ``local`` is a number on one machine, which is no rank; ``name`` what stood before the line as that of a machine;
    ``uncaught``: torch's hook for errors that nobody caught wrote it; ``shown``: its process in the launcher's words;
    ``boxed``: it was the side of a box.
    """

    text: str
    number: int
    rank: int | None
    stream: str
    where: str
    local: int | None = None
    time: float | None = None
    name: str = ""
    uncaught: bool = False
    shown: str = ""
    boxed: bool = False


@dataclass
class Log:
    """What is known of a log before its lines are read: ``rank`` where the whole file is of one rank."""

    path: str
    rank: int | None = None
    attempt: int = 0
    host: bool | None = None
    width: int = 0
    """Bytes after which a terminal cut its lines; 0 where none did."""
    headers: Headers = field(default_factory=Headers)
    numbered: Numbered = field(default_factory=Numbered)
    grouped: Grouped = field(default_factory=Grouped)
    names: set[str] = field(default_factory=set)
    """Of machines, that stood before lines."""
    ranks: dict[str, int] = field(default_factory=dict)
    """Global rank of a process that a prefix names otherwise, learned from lines that have both."""

    @classmethod
    def of(cls, path: str, several: bool = False) -> Log:
        """``several``: there are log folders of more than one machine, whose numbers are no ranks."""
        found = _ATTEMPT.search(path.replace("\\", "/"))
        if found:
            return cls(path, None if several else int(found[2]), int(found[1]))
        named = _FILE_RANK.search(Path(path).name)
        return cls(path, int(named[1]) if named else None)


@dataclass(frozen=True)
class Block:
    """A piece of a log that ends with a line's end; ``number`` (from 1) is that of its first line."""

    log: Log
    number: int
    data: bytes

    def lines(self) -> Iterator[Line]:
        """Its lines, decoded and without prefixes; of one that is too long, its beginning."""
        pieces = self.data.split(b"\n")[:-1]
        if self.log.host is None:
            first = [_decoded(raw[:400]) for raw in pieces[:400]]
            self.log.numbered = Numbered.of(first)
            self.log.host = usual_name([self.log.numbered.without(text) for text in first])
            self.log.width = width_of(pieces[:2000])
        for number, raw in unwrapped(pieces, self.number, self.log.width):
            yield from _lines(raw[:LONGEST], self.log, number)

    def pieces(self, size: int) -> Iterator[Block]:
        """The block in parts of about ``size`` bytes that end with a line's end."""
        start, number = 0, self.number
        while start < len(self.data):
            end = self.data.find(b"\n", start + size) + 1 or len(self.data)
            part = self.data[start:end]
            yield Block(self.log, number, part)
            start, number = end, number + part.count(b"\n")

    def tail(self, size: int) -> Block:
        """Its last lines, ``size`` bytes at most."""
        cut = self.data.find(b"\n", max(0, len(self.data) - size)) + 1
        return Block(self.log, self.number + self.data.count(b"\n", 0, cut), self.data[cut:])

    def last_lines(self) -> Iterator[Line]:
        """The last line, and for each rank that writes in it the last one that names it."""
        marks = set(_MARKS.findall(self.data)) if self.log.rank is None else set()
        for mark in (*marks, b""):
            end = self.data.rfind(b"\n", 0, -1) if not mark else self.data.rfind(mark)
            start = self.data.rfind(b"\n", 0, end) + 1 if mark else end + 1
            raw = self.data[start : self.data.find(b"\n", start)]
            yield from _lines(raw[:LONGEST], self.log, 0)


def blocks(stream: BinaryIO, log: Log) -> Iterator[Block]:
    """A log in pieces. Raises ``OSError`` where it cannot be read to its end (a torn ``.gz`` too)."""
    number = 1
    for data in _whole_lines(stream):
        yield Block(log, number, data)
        number += data.count(b"\n")


def _decoded(raw: bytes) -> str:
    encoding = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    plain = raw.replace(b"\0", b"") if encoding == "utf-8" else raw
    return plain.decode(encoding, "replace").rstrip("\r\n")


def _lines(raw: bytes, log: Log, number: int) -> Iterator[Line]:
    text = _decoded(raw)
    *before, text = (log.numbered.without(text) if log.numbered.shape else text).split("\r")
    for one in before:  # what a bar of progress was drawn over
        if loud(one):
            yield _line(one, log, number, None)
    if text.startswith("{") and text.endswith("}"):
        told = _of_json(text)
        if told is not None:
            for one in told[0].splitlines():
                yield _line(one, log, number, told[1])
            return
    if _ESCAPED in text:
        for one in text.replace('\\"', '"').split("\\n"):
            yield _line(one, log, number, None)
        return
    for one in records(text):
        yield _line(one, log, number, None)


def _of_json(text: str) -> tuple[str, int | None] | None:
    """The message of a line of JSON, with a traceback beside it, and the rank that it names."""
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    found = next((record[key] for key in _JSON_TEXT if isinstance(record.get(key), str)), None)
    more = [record[key] for key in _JSON_MORE if isinstance(record.get(key), str)]
    if found is None and not more:
        return None
    rank = next((record[key] for key in _JSON_RANK if isinstance(record.get(key), int)), None)
    time = next((record[key] for key in ("time", "timestamp", "ts", "asctime") if isinstance(record.get(key), str)), "")
    level = next((record[key] for key in ("level", "levelname", "severity") if isinstance(record.get(key), str)), "")
    level = f"{level.upper()}: " if level.upper() in ("ERROR", "CRITICAL", "FATAL") and not more else ""
    lines = [f"{time} {level}{one}" if time else level + one for one in (found or "").splitlines()]
    return "\n".join([*lines, *more]), rank


def _line(text: str, log: Log, number: int, rank: int | None) -> Line:
    if len(text) > _SHOWN:
        text = f"{text[: _SHOWN // 2]} … {text[-_SHOWN // 2 :]}"
    time = time_of(text)
    plain, prefix = stripped(text, bool(log.host), log.names)
    if log.numbered.file:
        prefix.label.append(log.numbered.file)
    if log.grouped.inside or "Exception Group" in plain:
        plain = log.grouped.without(plain, f"{prefix.rank} {prefix.process} {prefix.label}")
    plain, head = log.headers.without(plain)
    if prefix.label and not prefix.label[0].isdigit() and len(log.names) < 4096:
        log.names.add(prefix.label[0])
    known = _rank_of(prefix, log)
    known = next((one for one in (known, head.rank, rank, log.rank) if one is not None), None)
    label = prefix.process or "/".join(prefix.label) or (head.text if head.names else "")
    shown = ", ".join(prefix.shown) or (head.text if head.names else "")
    return Line(
        plain,
        number,
        known,
        f"{known if known is not None else label}",
        f"{log.path}:{number}",
        prefix.local,
        time,
        "/".join(prefix.label),
        prefix.uncaught,
        shown,
        prefix.boxed,
    )


def _rank_of(prefix: Prefix, log: Log) -> int | None:
    """The global rank of a line. A local number stands for one only as long as no line shows that they differ."""
    if prefix.rank is not None:
        if prefix.process:
            log.ranks[prefix.process] = prefix.rank
        return prefix.rank
    if prefix.process in log.ranks:
        return log.ranks[prefix.process]
    if log.numbered.file and (named := _FILE_RANK.search(Path(log.numbered.file).name)):
        return int(named[1])
    if prefix.local is not None and all(
        name.endswith(str(rank)) for name, rank in log.ranks.items() if "/" not in name
    ):
        return prefix.local
    return None


def _whole_lines(stream: BinaryIO) -> Iterator[bytes]:
    """The stream in pieces that end with a line's end. What is too long of a line is skipped, and never held."""
    parts, size, skipping = list[bytes](), 0, False
    while True:
        try:
            chunk = stream.read1(_CHUNK) if hasattr(stream, "read1") else stream.read(_CHUNK)
        except (EOFError, zlib.error, gzip.BadGzipFile, tarfile.TarError) as error:
            yield b"".join(parts)
            raise OSError(f"ends early or is damaged: {error}") from error
        end = chunk.rfind(b"\n") + 1
        if skipping and end:
            chunk = chunk[chunk.find(b"\n") :]
            end, skipping = chunk.rfind(b"\n") + 1, False
        if not chunk:
            break
        if end and size + end >= _CHUNK // 4:
            yield b"".join([*parts, chunk[:end]])
            parts, size = [chunk[end:]], len(chunk) - end
        elif not skipping:
            parts.append(chunk)
            size += len(chunk)
        if not end and size > _CHUNK:
            whole = b"".join(parts)
            last = whole.rfind(b"\n") + 1
            if last:
                yield whole[:last]
            skipping = len(whole) - last > LONGEST
            parts = [whole[last : last + LONGEST] if skipping else whole[last:]]
            size = len(parts[0])
    rest = b"".join(parts)
    if rest:
        yield rest if rest.endswith(b"\n") else rest + b"\n"
