"""All files of a project, as far as a person wrote them."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from ddplint.project import limits
from ddplint.source.file import SourceFile

_NAMES = ("test_*.py", "*_test.py", "conftest.py")
_FOLDERS = frozenset({"test", "tests", "testing"})
"""How tests are called, and what holds them."""


def is_named_test(path: str) -> bool:
    """Whether a file is called as a test runner looks for it."""
    name = path.rpartition("/")[2]
    return any(fnmatchcase(name, pattern) for pattern in _NAMES)


def is_test(file: SourceFile) -> bool:
    """Whether a file is one of a project's tests, which say nothing of how a program is run."""
    return is_named_test(file.path) or not _FOLDERS.isdisjoint(file.path.split("/")[:-1])


@dataclass(frozen=True)
class Pool:
    """The paths of files; ``unread`` says which others there are that were not looked at."""

    paths: tuple[Path, ...]
    unread: str = ""


def files_below(top: Path) -> Pool:
    """The Python files below a folder."""
    from ddplint.project.discovery import python_files

    found: list[Path] = []
    large = 0
    for count, path in enumerate(python_files(top)):
        if count >= limits.FILES_SCANNED:
            said = f"callers were looked for in {limits.FILES_SCANNED} files of the project only"
            return Pool(tuple(found), said)
        try:
            size = path.stat().st_size
        except OSError:  # a link that leads nowhere
            continue
        if size <= limits.SCANNED_BYTES:
            found.append(path)
        else:
            large += 1
    return Pool(tuple(found), f"callers were not looked for in {large} large files" if large else "")
