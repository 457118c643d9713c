"""What a module imports, read from its text: for modules that are looked at and not walked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ddplint.project.modules import Module, Project

__all__ = ["bindings", "full_name", "handed_over", "imported"]

_FROM = re.compile(r"^from\s+([\w.]+)\s+import\s+(\([^)]*\)|[^\n]+)", re.MULTILINE)
_IMPORT = re.compile(r"^import\s+([^\n#]+)", re.MULTILINE)
_HANDED = re.compile(r"([A-Za-z_][\w.]*)\(\s*(?:\w+\s*=\s*)?(\w+)\s*[,)]")
_AS = re.compile(r"([\w.]+)(?:\s+as\s+(\w+))?")


def imported(text: str) -> Iterator[tuple[str, str]]:
    """The names that a module imports, with what they stand for."""
    for match in _FROM.finditer(text):
        for part in _AS.finditer(match.group(2).strip("()")):
            yield part.group(2) or part.group(1), f"{match.group(1)}.{part.group(1)}"
    for match in _IMPORT.finditer(text):
        for part in _AS.finditer(match.group(1)):
            yield part.group(2) or part.group(1).partition(".")[0], part.group(1)


@lru_cache(maxsize=64)
def bindings(text: str) -> Mapping[str, str]:
    """What the names stand for that a module binds by importing: ``import a.b`` binds ``a``."""
    return {name: name if origin.startswith(f"{name}.") else origin for name, origin in imported(text)}


@lru_cache(maxsize=64)
def handed_over(text: str) -> Mapping[str, list[str]]:
    """What is called with a name as the first argument, by that name, in the order of the text."""
    found: dict[str, list[str]] = {}
    for match in _HANDED.finditer(text):
        found.setdefault(match.group(2), []).append(match.group(1))
    return found


def full_name(project: Project, module: Module, origin: str) -> str:
    """The absolute name of what a module imports; relative ones begin with dots."""
    path = origin.lstrip(".")
    level = len(origin) - len(path)
    return project.absolute(path, level, module) if level else path
