"""A folder of logs → the files to read, all of them; of one that is too large, the nearest and newest first."""

from __future__ import annotations

import os
import re
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import PurePath

MOST_FILES = 20_000
"""Files of a folder or an archive that are read: a job of 2,048 ranks leaves two for each and attempt."""
MOST_BYTES = 2 << 30
SECONDS = 120
"""After which nothing more of a folder is begun or read on."""
_MOST_ENTRIES = 200_000
"""Entries of folders that are looked at, before it is known which are logs."""

NO_LOG = re.compile(
    r"\.(?:py|pyc|pyi|so|o|a|c|cc|cpp|cu|h|hpp|js|ts|css|pt|pth|bin|safetensors|npy|npz|png|jpg|jpeg|gif|svg|mp4|wav|pdf"
    r"|zip|whl|parquet|arrow|ipynb|lock|pkl)$",
    re.IGNORECASE,
)
_OF_PROGRAMS = frozenset({"__pycache__", "node_modules", "site-packages"})
"""Folders in which nobody writes logs."""


@dataclass(frozen=True)
class Found:
    """A file that may be a log: how many folders down it is, its bytes, and when it was written last."""

    path: str
    depth: int
    size: int
    changed: float


@dataclass
class Budget:
    """What is left to read of folders. Logs that were given by name are not counted: they are read whole."""

    top: str = ""
    most: int = field(default_factory=lambda: MOST_BYTES)
    until: float = field(default_factory=lambda: time.monotonic() + SECONDS)
    read: int = 0
    """Files that were begun."""
    left: int = 0
    """Files that were not."""
    cut: str = ""
    """The file in which reading stopped."""
    unseen: bool = False
    """Whether a folder has more in it than was looked at."""
    nearest: bool = False
    """Whether the nearest and newest were taken first."""

    @property
    def spent(self) -> bool:
        return self.most <= 0 or time.monotonic() > self.until

    def chosen(self, top: str) -> list[Found]:
        """The files of a folder in the order in which they are read."""
        self.top = self.top or top
        found, whole = _walked(top)
        self.unseen = self.unseen or not whole
        if whole and len(found) <= MOST_FILES and sum(one.size for one in found) <= self.most:
            return sorted(found, key=lambda one: PurePath(one.path).parts)
        self.nearest = True
        found.sort(key=lambda one: (one.depth, -one.changed, one.path))
        self.left += len(found[MOST_FILES:])
        return found[:MOST_FILES]

    @property
    def told(self) -> str:
        """What was not read, in a sentence; empty where everything was."""
        if not (self.left or self.cut or self.unseen):
            return ""
        every = f"{'more than ' if self.unseen else ''}{self.read + self.left:,}"
        cut = f", the last one not to its end ({self.cut})" if self.cut else ""
        order = "the nearest and newest first" if self.nearest else "in the order of their names"
        return (
            f"{self.top}: too much to read all of it: {self.read:,} of {every} files were read{cut}, {order} (limits: "
            f"{MOST_FILES:,} files, {MOST_BYTES >> 20:,} MiB, {SECONDS} s); what failed may stand in the others: give "
            "the folder of that one job, or its logs by name"
        )


def _walked(top: str) -> tuple[list[Found], bool]:
    """The files below a folder that may be logs, level by level, and whether all folders were looked into."""
    found: list[Found] = []
    folders = deque([(top, 0)])
    seen = 0
    while folders:
        folder, depth = folders.popleft()
        for entry in _entries(folder):
            seen += 1
            if entry.name.startswith(".") or seen > _MOST_ENTRIES:
                continue
            try:
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in _OF_PROGRAMS:
                        folders.append((entry.path, depth + 1))
                elif entry.is_file() and not NO_LOG.search(entry.name):
                    stat = entry.stat()
                    found.append(Found(entry.path, depth, stat.st_size, stat.st_mtime))
            except OSError:
                continue
        if seen > _MOST_ENTRIES:
            return found, False
    return found, True


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []
