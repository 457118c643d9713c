"""What was given on the command line as logs: files, packed ones, archives, folders, standard input."""

from __future__ import annotations

import gzip
import os
import sys
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO, cast

from ddplint.job.triage.reading.folders import MOST_FILES, NO_LOG, Budget

_HEAD = 1 << 13
_TEXT = bytes(range(32, 127)) + b"\t\n\r\x1b\x08\x0c" + bytes(range(128, 256))


@dataclass(frozen=True)
class Source:
    """A log: its path, or that of the archive and its name in there. ``asked`` for by name, not found in a folder."""

    name: str
    path: str
    asked: bool = True


def given(paths: list[str], budget: Budget) -> Iterator[Source]:
    """The logs that the arguments stand for, in order; in a folder, the files that may be some, within the budget."""
    for path in paths:
        if path == "-" or not os.path.isdir(path):
            yield Source(path, path)
            continue
        for one in budget.chosen(path):
            yield Source(one.path, one.path, asked=False)


@contextmanager
def opened(source: Source) -> Iterator[Iterator[tuple[str, BinaryIO]]]:
    """The streams of a source by name: one, or of an archive those of its files. Raises ``OSError``."""
    if source.path == "-":
        yield iter([("-", sys.stdin.buffer)])
        return
    with open(source.path, "rb") as stream:
        head = _peek(stream)
        packed = head[:2] == b"\x1f\x8b"
        plain = _unpacked(head) if packed else head
        if plain[257:262] == b"ustar":
            yield _members(stream, source.name)
        else:
            yield iter([(source.name, cast(BinaryIO, gzip.GzipFile(fileobj=stream)) if packed else stream)])


def _peek(stream: BinaryIO) -> bytes:
    head = stream.peek(_HEAD)[:_HEAD] if hasattr(stream, "peek") else b""
    return bytes(head)


def _unpacked(head: bytes) -> bytes:
    try:
        return zlib.decompressobj(31).decompress(head, 1024)
    except zlib.error:
        return b""


def _members(stream: BinaryIO, name: str) -> Iterator[tuple[str, BinaryIO]]:
    """The regular files of an archive one after the other, as they come; nothing is written anywhere."""
    try:
        with tarfile.open(fileobj=stream, mode="r|*") as archive:
            for count, member in enumerate(archive):
                if count >= MOST_FILES:
                    return
                content = archive.extractfile(member) if member.isfile() and not NO_LOG.search(member.name) else None
                if content is not None:
                    yield f"{name}/{member.name}", cast(BinaryIO, content)
    except (tarfile.TarError, EOFError, zlib.error) as error:
        raise OSError(f"ends early or is damaged: {error}") from error


def is_text(data: bytes) -> bool:
    """Whether the beginning of a file may be a log: text in some encoding, whatever it says."""
    head = data[:_HEAD]
    if head[:2] in (b"\xff\xfe", b"\xfe\xff") or not head:
        return True
    if head[1::2].count(0) > len(head) // 3 or head[::2].count(0) > len(head) // 3:
        head = head.replace(b"\0", b"")  # UTF-16 that does not say so
    strange = len(head.translate(None, _TEXT))
    return strange <= len(head) // 10 and b"\0\0\0" not in head
