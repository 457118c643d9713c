"""Write rewritten files: whole or not at all, and never over somebody else's change."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ddplint.source.file import SourceFile
from ddplint.util.regular import read_regular


class WriteError(Exception):
    """A file that could not be written: ``path`` as the user gave it, and in one sentence why."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(message)
        self.path = path
        self.message = message

    def __str__(self) -> str:
        return f"{self.path}: error: {self.message}"


@dataclass(frozen=True)
class _Prepared:
    path: str
    target: Path
    temporary: Path


def write_files(changes: Sequence[tuple[SourceFile, SourceFile]]) -> None:
    """Write files that belong together: pairs of the file as it was read and as it is to be.

    Every file is first written in full next to its target, under its mode, then all are put in place. A symbolic link
    stays one: its target is written. Raises :class:`WriteError`, with nothing written, where a file is no longer as it
    was read, or it or its directory cannot be written.
    """
    prepared: list[_Prepared] = []
    try:
        for before, after in changes:
            prepared.append(_prepare(before, after.data))
        for before, one in zip([before for before, _ in changes], prepared, strict=True):
            _check_unchanged(before, one.target)
        for one in prepared:
            _put(one)
    finally:
        for one in prepared:
            with suppress(OSError):
                one.temporary.unlink()


def _prepare(before: SourceFile, data: bytes) -> _Prepared:
    target = Path(os.path.realpath(before.path))
    _check_unchanged(before, target)
    if not os.access(target, os.W_OK):
        raise WriteError(before.path, "cannot be written: the file is read-only")
    try:
        mode = stat.S_IMODE(target.stat().st_mode)
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    except OSError as error:
        raise WriteError(before.path, f"cannot be written: {_reason(error, target.parent)}") from None
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _like(target, temporary, mode)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise WriteError(before.path, f"cannot be written: {error.strerror or error}") from None
    return _Prepared(before.path, target, temporary)


def _like(target: Path, temporary: Path, mode: int) -> None:
    """Give the new file the owner and mode of the old one; the owner only where that is allowed."""
    old, new = target.stat(), temporary.stat()
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid) and hasattr(os, "chown"):
        with suppress(OSError):
            os.chown(temporary, old.st_uid, old.st_gid)
    temporary.chmod(mode)


def _check_unchanged(before: SourceFile, target: Path) -> None:
    try:
        now = read_regular(target)
    except OSError as error:
        raise WriteError(before.path, f"cannot be read again: {error.strerror or error}") from None
    if now != before.data:
        raise WriteError(before.path, "not written: the file changed on disk while it was being checked")


def _put(one: _Prepared) -> None:
    try:
        os.replace(one.temporary, one.target)
    except OSError as error:
        raise WriteError(one.path, f"cannot be written: {error.strerror or error}") from None
    _sync_directory(one.target.parent)


def _sync_directory(directory: Path) -> None:
    """Make the rename itself last; not every system lets a directory be opened."""
    with suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _reason(error: OSError, directory: Path) -> str:
    if isinstance(error, PermissionError) or not os.access(directory, os.W_OK):
        return f"the directory {directory} is read-only"
    return error.strerror or str(error)
