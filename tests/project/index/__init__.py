"""The index: what is read of files, what expressions stand for, what calls do."""

from __future__ import annotations

from pathlib import Path

from ddplint.project.index.queries import Index
from ddplint.project.index.units import Function
from ddplint.project.modules import Project
from ddplint.source.file import SourceFile


def index_of(folder: Path) -> Index:
    """The index of all Python files below a folder."""
    files = [SourceFile.read(path) for path in sorted(folder.rglob("*.py"))]
    return Project(files).index


def write(folder: Path, **modules: str) -> Path:
    """Modules by name (``__`` for a folder) with their text."""
    for name, text in modules.items():
        path = folder / f"{name.replace('___', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def function(index: Index, path: Path, name: str) -> Function:
    """The function of that name in a file."""
    (found,) = index.functions(SourceFile.read(path), name)
    return found


def effects(folder: Path, module: str, name: str) -> set[str]:
    """The effects of a function, from an index of its own."""
    index = index_of(folder)
    return set(index.effects(function(index, folder / f"{module}.py", name)))
