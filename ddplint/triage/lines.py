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

__all__ = ["LONGEST", "Line", "read", "stripped"]

LONGEST = 1 << 16
"""Bytes of a line that are looked at; the rest of it is skipped without being held."""

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


def read(path: str) -> Iterator[Line]:
    """The lines of a log; ``-`` is standard input. Raises ``OSError`` where it cannot be read (a torn ``.gz`` too)."""
    named = _rank_of_file(path)
    with _opened(path) as stream:
        for number, raw in _bounded(stream):
            encoding = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
            plain = raw.replace(b"\0", b"") if encoding == "utf-8" else raw
            text = plain.decode(encoding, "replace").rstrip("\r\n")
            text = text.rpartition("\r")[2]
            text, rank, label = stripped(text)
            known = rank if rank is not None else named
            yield Line(text, number, known, f"{known if known is not None else label}", f"{path}:{number}")


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


def _bounded(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    number = 0
    while True:
        number += 1
        try:
            raw = stream.readline(LONGEST)
            if not raw:
                return
            rest = raw
            while not rest.endswith(b"\n") and len(rest) == LONGEST:
                rest = stream.readline(LONGEST)
        except (EOFError, zlib.error) as error:
            raise OSError(f"ends early or is damaged after line {number - 1}: {error}") from error
        yield number, raw
