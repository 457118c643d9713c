"""Does the project itself read an environment variable?"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from pathlib import Path

from ddplint.discovery import SUFFIXES, walked_files
from ddplint.folders import top_folder
from ddplint.source import SourceFile

__all__ = ["is_read"]

_MOST_FILES = 4000


def is_read(name: str, file: SourceFile) -> bool:
    """Whether a file of the project around ``file`` asks for the variable, or may.

    True also where the project is too large to look through.
    """
    if _reads(name, file.data, file.path.endswith(SUFFIXES)):
        return True
    top = _project(file.real_path)
    return top is not None and _read_below(name, top)


def _project(file: Path) -> Path | None:
    top = top_folder(file.parent)
    if (top / ".git").exists():
        return top
    here = Path.cwd()
    return here if here in file.parents else file.parent


@lru_cache(maxsize=256)
def _read_below(name: str, top: Path) -> bool:
    files = list(islice(map(Path, walked_files(top)), _MOST_FILES + 1))
    return len(files) > _MOST_FILES or any(_reads(name, _bytes(file), file.suffix in SUFFIXES) for file in files)


@lru_cache(maxsize=64)
def _pattern(name: str, python: bool) -> re.Pattern[bytes]:
    """In Python a string that is the name, where nothing is assigned to it; else ``$NAME``, but for its own default."""
    written = re.escape(name.encode())
    if python:
        return re.compile(
            rb"(?<!setdefault\()(?<!putenv\()(?<!setenv\()[\"']%s[\"'](?!\s*:)(?!\s*\]\s*=(?!=))" % written
        )
    return re.compile(rb"(?<!%s=)(?<!%s=\")\$\{?%s\b" % (written, written, written))


def _reads(name: str, data: bytes, python: bool) -> bool:
    if name.encode() not in data:
        return False
    code = re.sub(rb"^\s*#[^\n]*", b"", data, flags=re.MULTILINE)
    return _pattern(name, python).search(code) is not None


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""
