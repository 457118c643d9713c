"""Where imports start from: the folder of a module's package, those above it, ``src`` and ``lib`` in them."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from ddplint.project import limits
from ddplint.util.regular import read_regular


def locate(name: str, root: Path, here: Path) -> Path | None:
    """The file of a module of the project, or the folder of a package without ``__init__.py``.

    Parameters: ``root``, where imports of the asking module start from; ``here``, its folder.
    """
    first = name.partition(".")[0]
    if first in sys.stdlib_module_names:
        return None
    relative = os.path.join(*name.split("."))
    own, others = _bases(root)
    for base in (*own, str(here), *others, *_around_top(first, root)):
        held = names_in(base)
        if first not in held and f"{first}.py" not in held:
            continue
        path = os.path.join(base, relative)
        for file in (f"{path}.py", os.path.join(path, "__init__.py")):
            if os.path.isfile(file):
                return Path(file)
        if os.path.isdir(path) and _has_python(Path(path)):
            return Path(path)
    return None


_SOURCES = ("src", "lib")
"""Folders that projects keep their packages in, and put on the path of their scripts."""


@lru_cache(maxsize=1024)
def _bases(root: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The folders that imports start from: those before the asking module's own, and those after it."""
    above = [str(folder) for folder in folders_above(root)]
    own = (str(root), *(os.path.join(root, name) for name in _SOURCES))
    return own, (*above, *(os.path.join(folder, name) for folder in above for name in _SOURCES))


@lru_cache(maxsize=8192)
def names_in(folder: str) -> frozenset[str]:
    """The names of what is in a folder; none where it cannot be read."""
    try:
        return frozenset(os.listdir(folder))
    except OSError:
        return frozenset()


def look_again() -> None:
    """Forget what was seen of the folders."""
    _bases.cache_clear()
    names_in.cache_clear()


def place(path: Path) -> tuple[Path, str]:
    """The folder that imports start from, and the module's name below it.

    The top of a project is no package, though an ``__init__.py`` may lie there.
    """
    parts = [] if path.name == "__init__.py" else [path.stem]
    folder = path.parent
    while os.path.isfile(folder / "__init__.py") and folder.parent != folder and not _is_top(folder):
        parts.insert(0, folder.name)
        folder = folder.parent
    return folder, ".".join(parts)


_NAME = re.compile(r"""^name\s*=\s*["'](?P<name>[^"']*)["']""", re.MULTILINE)
_MARKS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")


def _is_top(folder: Path) -> bool:
    """Whether a folder is the top of a project."""
    return any(os.path.exists(folder / mark) for mark in _MARKS)


def installs(top: Path, folder: str) -> bool:
    """Whether a project may install one of its folders, so that other programs use what is in it.

    A ``setup.py`` or ``setup.cfg`` may install every folder; a ``pyproject.toml``, the one named as the project is.
    """
    if not {"setup.py", "setup.cfg"}.isdisjoint(names_in(str(top))):
        return True
    with suppress(OSError):
        text = read_regular(top / "pyproject.toml").decode("utf-8", "replace")
        named = _NAME.search(text)
        return named is None or re.sub(r"[-_.]+", "_", named["name"]).lower() in (folder.lower(), "")
    return False


def folders_above(root: Path) -> Iterator[Path]:
    """Folders above that imports may also start from: up to the top of the project, or where the tool was started."""
    here = Path.cwd()
    for folder in list(root.parents)[: limits.FOLDERS_ABOVE]:
        if _is_top(folder) or folder == here:
            yield folder
            return
        if here not in folder.parents:
            return
        yield folder


def _around_top(first: str, root: Path) -> tuple[str, ...]:
    """The folder around the top of a project that is a package itself (``package_dir={"name": "."}``), by its name."""
    top = next((folder for folder in (root, *list(root.parents)[: limits.FOLDERS_ABOVE]) if _is_top(folder)), None)
    if top is None or top.name != first or "__init__.py" not in names_in(str(top)):
        return ()
    return (str(top.parent),)


def _has_python(folder: Path) -> bool:
    return any(name.endswith(".py") or os.path.isdir(folder / name) for name in names_in(str(folder)))
