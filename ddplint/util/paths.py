"""Names of files and folders: the real one, the one in the repository."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path


def identity(file: str) -> str:
    """The absolute path of a file with links followed: the same for all its names."""
    if os.path.islink(file):
        return os.path.realpath(file)
    folder, name = os.path.split(file)
    return os.path.join(_real_folder(os.path.abspath(folder)), name)


@lru_cache(maxsize=64)
def _real_folder(folder: str) -> str:
    return os.path.realpath(folder)


def top_folder(start: Path | None = None) -> Path:
    """The repository that ``start`` (default: the current folder) is in, or that folder itself."""
    here = (start or Path.cwd()).resolve()
    return next((folder for folder in (here, *here.parents) if os.path.exists(folder / ".git")), here)


def below(path: Path, top: Path) -> str:
    """The path from ``top``, which need not be above it."""
    try:
        return Path(os.path.relpath(path, top.resolve())).as_posix()
    except ValueError:
        return path.as_posix()
