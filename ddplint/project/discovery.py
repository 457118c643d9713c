"""Paths → Python and launch files: folders are walked as git sees them; files named outright are always taken."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ddplint.project.kinds import kind_of
from ddplint.util.paths import identity
from ddplint.util.regular import read_regular

if TYPE_CHECKING:
    from pathspec import PathSpec


SUFFIXES = (".py", ".pyi", ".ipynb")
_NAMED = re.compile(r"\(\?P<\w+>")
NEVER = frozenset(
    {
        ".git", ".hg", ".svn", ".bzr", ".venv", "venv", ".tox", ".nox", ".eggs", "__pycache__", "node_modules",
        "__pypackages__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis", ".ipynb_checkpoints",
        ".ddplint_cache",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Discovered:
    """``files`` to check, in order, without duplicates; ``missing`` paths; and those that hold no Python.

    ``unreadable`` are folders that could not be listed, with the reason; ``excluded`` are named files that a pattern
    leaves out all the same.
    """

    files: tuple[str, ...]
    missing: tuple[str, ...] = ()
    barren: tuple[str, ...] = ()
    unreadable: tuple[tuple[str, str], ...] = ()
    excluded: tuple[str, ...] = ()


def discover(
    paths: Iterable[str], exclude: Sequence[str] = (), root: Path | None = None, *, force: bool = False
) -> Discovered:
    """The Python and launch files that ``paths`` stand for.

    Parameters: ``paths``, files and folders; ``exclude``, gitignore-style patterns relative to ``root`` (default: the
    current folder), which hold for files found in folders, and with ``force`` also for those named outright.
    """
    walk = _Walk(_spec(exclude), Path(root or ".").resolve(), launch=True)
    files: dict[str, str] = {}
    missing: list[str] = []
    barren: list[str] = []
    left_out: list[str] = []
    for path in map(Path, paths):
        found = [path.as_posix()]
        if os.path.isdir(path):
            troubles = len(walk.unreadable)
            found = list(walk.folder(path))
            if not found and troubles == len(walk.unreadable):
                barren.append(path.as_posix())
        elif not os.path.lexists(path):
            missing.append(path.as_posix())
            continue
        elif force and excluded(path, exclude, walk.root):
            left_out.append(path.as_posix())
            continue
        for file in found:
            files.setdefault(identity(file), file)
    return Discovered(tuple(files.values()), tuple(missing), tuple(barren), tuple(walk.unreadable), tuple(left_out))


def python_files(top: Path) -> Iterator[Path]:
    """The Python files below a folder, as git sees them."""
    return (Path(name) for name in _Walk(None, top).folder(top) if not name.endswith(".ipynb"))


def walked_files(top: Path) -> Iterator[str]:
    """The Python and launch files below a folder, as git sees them."""
    return _Walk(None, top, launch=True).folder(top)


def matches(pattern: str, path: Path, root: Path) -> bool:
    """Whether a gitignore-style ``pattern`` relative to ``root`` names the file ``path`` (both absolute)."""
    name = _relative(path, root)
    spec = _spec([pattern])
    return name is not None and spec is not None and spec.match_file(name)


def excluded(path: Path, exclude: Sequence[str], root: Path) -> bool:
    """Whether the patterns ``exclude``, relative to ``root``, leave out the file ``path`` or a folder it is in."""
    spec = _spec(exclude)
    name = _relative(Path(os.path.abspath(path)), root.resolve())
    return name is not None and spec is not None and spec.match_file(name)


def relevant(data: bytes, words: re.Pattern[bytes]) -> bool:
    """Whether a file can matter at all: whether one of ``words`` occurs in it."""
    return words.search(data) is not None


@dataclass
class _Walk:
    """Walks folders. Links to folders are not followed, as git does not, so there are no loops."""

    exclude: PathSpec[Any] | None
    root: Path
    launch: bool = False
    unreadable: list[tuple[str, str]] = field(default_factory=list)

    def folder(self, top: Path) -> Iterator[str]:
        """The wanted files below ``top``, sorted folder by folder."""
        stack: list[tuple[Path, list[_Ignore]]] = [(top, _ignores_above(top))]
        while stack:
            folder, ignores = stack.pop()
            ignores = [*ignores, *_ignore_of(folder)]
            folders: list[tuple[Path, list[_Ignore]]] = []
            for entry in self._entries(folder):
                path = folder / entry.name
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in NEVER and not self._left_out(path, ignores, True) and not _is_venv(path):
                        folders.append((path, ignores))
                elif self._wanted(entry) and not self._left_out(path, ignores, False):
                    yield path.as_posix()
            stack.extend(reversed(folders))

    def _wanted(self, entry: os.DirEntry[str]) -> bool:
        """Files by their name; not editors' lock files (``.#train.py``), not links to folders."""
        name = entry.name
        if name.startswith(".#") or not (name.endswith(SUFFIXES) or (self.launch and kind_of(name))):
            return False
        try:
            return not (entry.is_symlink() and entry.is_dir())
        except OSError:
            return True

    def _entries(self, folder: Path) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self.unreadable.append((folder.as_posix(), error.strerror or str(error)))
            return []

    def _left_out(self, path: Path, ignores: list[_Ignore], is_folder: bool) -> bool:
        absolute = Path(os.path.abspath(path))
        name = _relative(absolute, self.root)
        if self.exclude is not None and name is not None and self.exclude.match_file(name + "/" * is_folder):
            return True
        return _ignored(absolute, ignores, is_folder)


@dataclass(frozen=True)
class _Ignore:
    """One .gitignore file: the folder it speaks for and its patterns."""

    folder: Path
    spec: PathSpec[Any]

    @cached_property
    def any(self) -> re.Pattern[str] | None:
        """Found where one of the patterns says something: one search instead of many."""
        texts = [_NAMED.sub("(?:", one.regex.pattern) for one in self.spec.patterns if one.include is not None]
        try:
            return re.compile("|".join(f"(?:{text})" for text in texts))
        except re.error:
            return None


def _ignored(path: Path, ignores: list[_Ignore], is_folder: bool) -> bool:
    """git's rule: the last .gitignore that has something to say decides, and there the last pattern."""
    for ignore in reversed(ignores):
        name = _relative(path, ignore.folder)
        if name is None:
            continue
        name += "/" * is_folder
        if ignore.any is not None and not ignore.any.search(name):
            continue
        said = ignore.spec.check_file(name).include
        if said is not None:
            return said
    return False


def _ignores_above(top: Path) -> list[_Ignore]:
    """The .gitignore files between the repository that holds ``top`` and ``top`` itself (without its own).

    None where they leave out ``top`` itself: whoever names an ignored folder wants it checked.
    """
    top = Path(os.path.abspath(top))
    repository = next((folder for folder in (top, *top.parents) if os.path.exists(folder / ".git")), None)
    if repository is None:
        return []
    found = _read_ignore(repository / ".git" / "info" / "exclude", repository)
    for folder in reversed(top.parents):
        if folder == repository or repository in folder.parents:
            found += _ignore_of(folder)
    return [] if top != repository and _ignored(top, found, True) else found


def _ignore_of(folder: Path) -> list[_Ignore]:
    return _read_ignore(folder / ".gitignore", Path(os.path.abspath(folder)))


def _read_ignore(file: Path, folder: Path) -> list[_Ignore]:
    try:
        spec = _spec(read_regular(file).decode("utf-8", "replace").splitlines())
    except OSError:
        return []
    return [] if spec is None else [_Ignore(folder, spec)]


def _spec(lines: Sequence[str]) -> PathSpec[Any] | None:
    if not lines:
        return None
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(lines)


def _is_venv(folder: Path) -> bool:
    return os.path.isfile(folder / "pyvenv.cfg")


def _relative(path: Path, folder: Path) -> str | None:
    try:
        return path.relative_to(folder).as_posix()
    except ValueError:
        return None
