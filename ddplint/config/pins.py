"""The versions of packages that a project demands: requirements, conda, pyproject.toml, setup.cfg, setup.py."""

from __future__ import annotations

import ast
import configparser
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from ddplint.util.paths import top_folder
from ddplint.util.regular import text_of

Version = tuple[int, ...]

_MOST_BYTES = 200_000
_REQUIREMENT = re.compile(
    r"\s*(?P<name>[A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*\(?(?P<bounds>[^;#()]*)\)?\s*(?P<marker>;.*)?"
)
_BOUND = re.compile(r"(?<!!)(?P<how>>=|==|~=|>|<=|<|=)\s*(?P<number>\d+(?:\.\d+)*)")
_CONDA_FILES = ("environment*.y*ml", "conda*.y*ml", "requirements*.y*ml")
_OF_CONDA = {"pytorch": "torch", "pytorch-gpu": "torch"}
"""Names of packages on conda channels, and what they are called elsewhere."""


def version(text: str) -> Version:
    """``"5.2"`` as numbers. Raises ``ValueError`` for anything but numbers with dots."""
    return tuple(map(int, text.split(".")))


def demanded(file: Path, package: str, least_version: Version) -> bool:
    """Whether the project of a file cannot be installed with an older version of a package than this one."""
    found = least(file).get(package)
    return found is not None and found >= least_version


def least(file: Path) -> Mapping[str, Version]:
    """The lowest versions that the project of a file allows, by package: those of the nearest folder that says any.

    A package without a lower bound, or with one on some systems only, is not among them; of several bounds the lowest
    counts, since each file may be the one that is used.
    """
    top = top_folder(file.parent)
    for folder in (file.parent, *file.parent.parents):
        found = _of_folder(folder)
        if found or folder == top:
            return found
    return {}


def excluded(file: Path, package: str, first: Version) -> bool:
    """Whether the project of a file can be installed with no version of a package from ``first`` on.

    Where neither its folder nor one above lists the package, the folders in the project's top are asked: some keep
    their requirements in ``scripts`` or ``docker``.
    """
    top = top_folder(file.parent)
    for folder in (file.parent, *file.parent.parents):
        found = _bounds(folder, package)
        if found or folder == top:
            break
    else:
        return False
    found = found or [bounds for inner in _folders(top) for bounds in _bounds(inner, package)]
    return bool(found) and all(any(_excludes(*bound, first) for bound in bounds) for bounds in found)


def _bounds(folder: Path, package: str) -> list[tuple[tuple[str, Version], ...]]:
    return [bounds for name, bounds, _ in _bounds_of(folder) if name == package]


def _folders(folder: Path) -> list[Path]:
    try:
        return sorted(Path(one.path) for one in os.scandir(folder) if one.is_dir(follow_symlinks=False))
    except OSError:
        return []


def _excludes(how: str, number: Version, first: Version) -> bool:
    """Whether a bound leaves out a version and all later ones."""
    if how == "<":
        return number <= first
    if how == "~=":
        return number[:-1] < first[: len(number) - 1]
    return how in ("==", "=", "<=") and number < first[: len(number)]


def look_again() -> None:
    """Forget what was read: a new run begins."""
    _of_folder.cache_clear()
    _bounds_of.cache_clear()


@lru_cache(maxsize=256)
def _of_folder(folder: Path) -> Mapping[str, Version]:
    lowest: dict[str, Version] = {}
    for name, bounds, always in _bounds_of(folder):
        numbers = [number for how, number in bounds if how not in ("<", "<=")]
        least_here = max(numbers) if numbers and always else ()
        lowest[name] = min(lowest.get(name, least_here), least_here)
    return {name: found for name, found in lowest.items() if found}


@lru_cache(maxsize=256)
def _bounds_of(folder: Path) -> tuple[tuple[str, tuple[tuple[str, Version], ...], bool], ...]:
    """Each requirement that a folder's files list: the package, its bounds, and whether it holds on all systems."""
    found = []
    for requirement in _requirements(folder):
        read = _REQUIREMENT.match(requirement)
        if read is None:
            continue
        name = re.sub(r"[-_.]+", "-", read["name"]).lower()
        bounds = tuple((bound["how"], version(bound["number"])) for bound in _BOUND.finditer(read["bounds"]))
        found.append((_OF_CONDA.get(name, name), bounds, not read["marker"]))
    return tuple(found)


def _requirements(folder: Path) -> Iterator[str]:
    try:
        files = sorted(folder.glob("requirements*.txt"))
        of_conda = sorted(file for pattern in _CONDA_FILES for file in folder.glob(pattern))
    except OSError:
        return
    for file in files:
        lines = map(str.strip, text_of(file, _MOST_BYTES).splitlines())
        yield from (line for line in lines if line and not line.startswith(("#", "-")))
    for file in of_conda:
        items = re.findall(r"^\s*-\s*([^\s#].*?)\s*$", text_of(file, _MOST_BYTES), re.MULTILINE)
        yield from (item.strip("\"'").rpartition("::")[2] for item in items)
    yield from _of_pyproject(text_of(folder / "pyproject.toml", _MOST_BYTES))
    yield from _of_setup_cfg(text_of(folder / "setup.cfg", _MOST_BYTES))
    yield from _of_setup(text_of(folder / "setup.py", _MOST_BYTES))


def _of_pyproject(text: str) -> Iterable[str]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        project: Any = tomllib.loads(text).get("project", {})
    except tomllib.TOMLDecodeError:
        return ()
    listed = project.get("dependencies", ()) if isinstance(project, dict) else ()
    return [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else ()


def _of_setup_cfg(text: str) -> Iterable[str]:
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(text)
    except configparser.Error:
        return ()
    return [line for line in parser.get("options", "install_requires", fallback="").splitlines() if line.strip()]


def _of_setup(text: str) -> Iterator[str]:
    """The texts in ``install_requires=[...]``; nothing of it is run."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "install_requires" and isinstance(node.value, ast.List):
            for item in node.value.elts:
                if isinstance(item, ast.Constant) and isinstance(item.value, str):
                    yield item.value
