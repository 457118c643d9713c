"""Reads files, and nothing else that a path may lead to: a pipe or a device may make its reader wait for ever."""

from __future__ import annotations

import errno
import os
import stat

NOT_REGULAR = "not a regular file"
_AT_ONCE = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
"""How to open what may be a pipe without waiting for somebody to write into it."""


def read_regular(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a regular file. Raises :class:`OSError` where it cannot be read, or is none."""
    with open(path, "rb", opener=_opener) as file:
        return file.read()


def text_of(path: str | os.PathLike[str], most: int) -> str:
    """The text of a regular file of at most so many bytes; empty where there is none, or it cannot be read."""
    try:
        if not os.path.isfile(path) or os.stat(path).st_size > most:
            return ""
        return read_regular(path).decode("utf-8", "replace")
    except OSError:
        return ""


def _opener(path: str, flags: int) -> int:
    handle = os.open(path, flags | _AT_ONCE)
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, NOT_REGULAR, path)
    except OSError:
        os.close(handle)
        raise
    return handle
