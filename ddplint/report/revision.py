"""Which revision of a repository is checked out: read from the files of git, so nothing of the repository runs."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ddplint.util.regular import read_regular

_HASH = re.compile(r"^[0-9a-f]{40,64}$")


def revision_of(top: Path) -> str:
    """The first twelve digits of the commit, and the branch if there is one; nothing where that cannot be read."""
    try:
        folder = _git_folder(top)
        head = _text(folder / "HEAD").strip()
        name = head.removeprefix("ref: ")
        commit = head if name == head else _commit(folder, name)
    except (OSError, ValueError):
        return ""
    branch = f" ({name.removeprefix('refs/heads/')})" if name != head else ""
    return f"{commit[:12]}{branch}" if _HASH.match(commit) else ""


def _text(file: Path) -> str:
    return read_regular(file).decode("utf-8")


def _git_folder(top: Path) -> Path:
    """The folder of git, of a linked work tree too."""
    found = top / ".git"
    if os.path.isfile(found):
        return top / _text(found).removeprefix("gitdir:").strip()
    return found


def _commit(folder: Path, name: str) -> str:
    common = folder / "commondir"
    shared = folder / _text(common).strip() if os.path.isfile(common) else folder
    for place in (folder / name, shared / name):
        if os.path.isfile(place):
            return _text(place).strip()
    for line in _text(shared / "packed-refs").splitlines():
        if line.endswith(f" {name}"):
            return line.split()[0]
    return ""
