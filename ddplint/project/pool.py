"""All files of a project, as far as a person wrote them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ddplint.project import limits

if TYPE_CHECKING:
    from ddplint.source.file import SourceFile

__all__ = ["Pool", "files_below", "is_test"]

_TESTS = re.compile(r"(?:^|/)(?:tests?|testing)/|(?:^|/)(?:test_[^/]*|[^/]*_test|conftest)\.py$")
"""Of paths, not of what is in them."""


def is_test(file: SourceFile) -> bool:
    """Whether a file is one of a project's tests, which say nothing of how a program is run."""
    return _TESTS.search(file.path) is not None


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
