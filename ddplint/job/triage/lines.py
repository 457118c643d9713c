"""Logs as a stream of lines: packed or not, of any length and encoding, without what launchers put before each line."""

from __future__ import annotations

import gzip
import re
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

__all__ = ["LONGEST", "Block", "Line", "blocks", "stripped"]

LONGEST = 1 << 16
"""Bytes of a line that are looked at; the rest of it is skipped without being held."""

_CHUNK = 1 << 20

_ANSI = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_RANK = re.compile(r"(?:\[rank(?P<rank>\d+)\]|\[default(?P<local>\d+)\]|\[\d+,(?P<mpi>\d+)\]<std(?:out|err)>):? ?")
_NOISE = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?[ \t]+(?:std(?:out|err) [FP] )?(?=\S|  )"
    r"|\[\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?\][ \t]?"
    r"|\[pod/[^\]\s]+\] ?"
    r"|\(\w+ pid=\d+(?:, ip=[\d.]+)?\) ?"
    r"|[\w.-]+[ \t]+\| "
)
_LABEL = re.compile(r"[ ]{0,3}(?P<task>\d{1,5}): ")
_MARKS = re.compile(rb"\[(?:rank|default)\d+\]|\[\d+,\d+\]<std")
_FILE_RANK = re.compile(r"(?:rank|worker|task|proc)[-_.]?(\d{1,5})(?=\D|$)", re.IGNORECASE)
_ATTEMPT = re.compile(r"attempt_\d+/(\d{1,5})/std(?:out|err)\.log")


@dataclass(frozen=True)
class Line:
    """One line without its prefixes. ``stream`` tells apart what is written by different processes into one file."""

    text: str
    number: int
    rank: int | None
    stream: str
    where: str


@dataclass(frozen=True)
class Block:
    """A piece of a log that ends with a line's end; ``number`` (from 1) is that of its first line."""

    path: str
    number: int
    data: bytes

    def lines(self) -> Iterator[Line]:
        """Its lines, decoded and without prefixes; of one that is too long, its beginning."""
        named = _rank_of_file(self.path)
        for number, raw in enumerate(self.data.split(b"\n")[:-1], self.number):
            yield _line(raw[:LONGEST], self.path, number, named)

    def tail(self, size: int) -> Block:
        """Its last lines, ``size`` bytes at most."""
        cut = self.data.find(b"\n", max(0, len(self.data) - size)) + 1
        return Block(self.path, self.number + self.data.count(b"\n", 0, cut), self.data[cut:])

    def last_lines(self) -> Iterator[Line]:
        """For each rank that writes in it the last line that names it (of a file that belongs to a rank: the last)."""
        named = _rank_of_file(self.path)
        marks = set(_MARKS.findall(self.data)) if named is None else {b""}
        for mark in marks:
            end = self.data.rfind(b"\n", 0, -1) if not mark else self.data.rfind(mark)
            start = self.data.rfind(b"\n", 0, end) + 1 if mark else end + 1
            raw = self.data[start : self.data.find(b"\n", start)]
            yield _line(raw[:LONGEST], self.path, 0, named)


def blocks(path: str) -> Iterator[Block]:
    """A log in pieces; ``-`` is standard input. Raises ``OSError`` where it cannot be read (a torn ``.gz`` too)."""
    number = 1
    with _opened(path) as stream:
        for data in _whole_lines(stream):
            yield Block(path, number, data)
            number += data.count(b"\n")


def _line(raw: bytes, path: str, number: int, named: int | None) -> Line:
    encoding = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    plain = raw.replace(b"\0", b"") if encoding == "utf-8" else raw
    text = plain.decode(encoding, "replace").rstrip("\r\n")
    text, rank, label = stripped(text.rpartition("\r")[2])
    known = rank if rank is not None else named
    return Line(text, number, known, f"{known if known is not None else label}", f"{path}:{number}")


def stripped(text: str) -> tuple[str, int | None, str]:
    """``text`` without colours and prefixes, the rank they name, and a label that tells processes apart."""
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    rank: int | None = None
    label = ""
    for _ in range(8):
        found = _RANK.match(text)
        if found:
            whole = found["rank"] or found["local"] or found["mpi"]
            rank = int(whole[:9]) if rank is None or found["rank"] else rank
            if found["rank"] and text[found.end() :].startswith("[") and not text[found.end() - 1].isspace():
                text = text[found.end() :]
                continue
        else:
            found = _NOISE.match(text)
        if not found:
            found = _LABEL.match(text) if not label else None
            label = found["task"] if found else label
        if not found:
            break
        text = text[found.end() :]
    return text, rank, label


def _rank_of_file(path: str) -> int | None:
    found = _ATTEMPT.search(path.replace("\\", "/")) or _FILE_RANK.search(Path(path).name)
    return int(found[1]) if found else None


def _opened(path: str) -> BinaryIO:
    if path == "-":
        return sys.stdin.buffer
    stream = open(path, "rb")  # noqa: SIM115
    packed = stream.read(2) == b"\x1f\x8b"
    if stream.seekable():
        stream.seek(0)
    return gzip.GzipFile(fileobj=stream) if packed else stream  # type: ignore[return-value]


def _whole_lines(stream: BinaryIO) -> Iterator[bytes]:
    """The stream in pieces that end with a line's end. What is too long of a line is skipped, and never held."""
    parts, size, skipping = list[bytes](), 0, False
    while True:
        try:
            chunk = stream.read1(_CHUNK)  # type: ignore[attr-defined]
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
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
