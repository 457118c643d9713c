"""Records of files that do not change between runs."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from contextlib import suppress
from pathlib import Path

from ddplint.project.index.records import FileRecord, record_from
from ddplint.source.file import SourceFile
from ddplint.util.atomic import put
from ddplint.util.regular import read_regular

_FORM = 11

_kept: Kept | None = None


def keep_in(folder: Path | None) -> None:
    """From now on records are kept in this folder of the cache, or (``None``) nowhere."""
    global _kept
    _kept = None if folder is None else Kept(folder)


def kept() -> Kept | None:
    """Where records are kept, if anywhere."""
    return _kept


class Kept:
    """A folder with one entry for each file: the digest of its content, and the record of just that.

    Any number of runs may use it: entries are replaced as a whole and checked on reading.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, file: SourceFile) -> FileRecord | None:
        """The record of just this content, or ``None``."""
        try:
            said, _, body = read_regular(self._entry(file)).partition(b"\n")
            if said != _digest(file, body):
                return None
            return record_from(json.loads(body))
        except (OSError, ValueError, TypeError, RecursionError):
            return None

    def put(self, file: SourceFile, record: FileRecord) -> None:
        """Keep a record; where that cannot be done, nothing happens."""
        with suppress(OSError, ValueError):
            body = json.dumps(record, separators=(",", ":")).encode()
            entry = self._entry(file)
            entry.parent.mkdir(parents=True, exist_ok=True)
            put(entry, _digest(file, body) + b"\n" + body)

    def _entry(self, file: SourceFile) -> Path:
        name = hashlib.sha256(os.fsencode(file.real_path)).hexdigest()
        return self._folder / name[:2] / name[2:40]


def _digest(file: SourceFile, body: bytes) -> bytes:
    """Of the content, of the record, and of what else a record hangs on."""
    found = hashlib.sha256(f"{_FORM} {sys.version} {len(file.data)}\n".encode())
    found.update(file.data)
    found.update(body)
    return found.hexdigest().encode()
