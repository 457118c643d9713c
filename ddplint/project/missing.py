"""Modules that a file imports from the project's own packages, and that are not there: it cannot be imported itself."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ddplint.project.roots import names_in
from ddplint.util.regular import read_regular

if TYPE_CHECKING:
    from ddplint.project.modules import Module, Project


_GENERATED = re.compile(r"_|.*(?:_pb2|_pb2_grpc|version|_cuda|_cpp|_ext)$")
_BUILT_BY = ("setup.py", "setup.cfg", "pyproject.toml", "CMakeLists.txt", "Makefile", ".gitignore", ".gitmodules")


def missing(project: Project, module: Module) -> str:
    """The first module that a file imports from a package of the project which does not hold it; empty if none.

    What a build may make is not missing: version files, extensions, what a build file or ``.gitignore`` names. Nor is
    what stands in a ``try`` or under a condition.
    """
    top = project.top(module)
    for one in project.index.unit(module.file).record.imports:
        full = "" if one.inner else project.full_name(one.module, module)
        if full and _is_missing(project, module, full) and not _may_be_made(full, top):
            return full
    return ""


def _is_missing(project: Project, module: Module, full: str) -> bool:
    above, _, last = full.rpartition(".")
    package = project.find(above, module) if above else None
    if package is None or not package.is_package or not os.path.isfile(package.file.real_path):
        return False
    if "__path__" in package.text or "sys.modules" in package.text or project.find(full, module) is not None:
        return False
    beside = names_in(str(package.folder))
    return bool(beside) and not any(name.partition(".")[0] == last for name in beside)


def _may_be_made(full: str, top: Path) -> bool:
    last = full.rpartition(".")[2]
    return _GENERATED.match(last) is not None or re.search(rf"\b{re.escape(last)}\b", _build_files(top)) is not None


def look_again() -> None:
    """Forget what was read of the build files."""
    _build_files.cache_clear()


@lru_cache(maxsize=16)
def _build_files(top: Path) -> str:
    return "\n".join(_text(top / name) for name in _BUILT_BY)


def _text(path: Path) -> str:
    try:
        return read_regular(path).decode("utf-8", "replace") if os.path.isfile(path) else ""
    except OSError:
        return ""
